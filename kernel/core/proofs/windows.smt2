; The window of a share: `settle_share` and `limit_slice` in src/sched/budget.rs, `SporadicServer::window` in
; src/sched/sporadic_server.rs. docs/time.md promises that what was used comes back a period later or after that, but later by less
; than 1/128 of the period.
;
; A share begins to use a refill at `begin`. Its last run starts at `last` and ends at `end`; it starts within the window, because
; `limit_slice` charges the share otherwise. Up to `last` it uses `before` ticks, at any times. At the next charge all of them,
; `total`, count as used in one piece that ends at `end`. Each tick has a number from 0 on, and is used at the time `at`.

(set-logic ALL)

(declare-const period Int)
(declare-const window Int)
(declare-const begin Int)
(declare-const last Int)
(declare-const end Int)
(declare-const before Int)
(declare-const number Int)
(declare-const at Int)

(define-fun total () Int (+ before (- end last)))
(assert (and (> period 0) (<= 0 begin) (<= begin last) (<= last end)))
(assert (and (<= 0 number) (< number total)))
; Other ticks are used before and after this one.
(assert (and (<= 0 before) (<= before (- last begin))))
(assert (ite (< number before)
             (and (<= (+ begin number) at) (<= (+ at (- before number)) last))
             (= at (+ last (- number before)))))

(define-fun starts_within ((divisor Int)) Bool
  (and (= window (div period divisor)) (or (< last (+ begin window)) (= last begin))))
; `SporadicServer::charge(start, used)`, with an overrun of the whole budget that is `owed`.
(declare-const owed Int)
(assert (<= 0 owed))
(define-fun start () Int (- end total))
(define-fun back () Int (+ start period owed number))

(push 1)
(assert (starts_within 128))
(assert (< back (+ at period)))
(echo "holds: no tick comes back less than a period after its use")
(check-sat)
(pop 1)

(push 1)
(assert (starts_within 128))
(assert (= owed 0))
(assert (not (or (= back (+ at period)) (< (* 128 (- back (+ at period))) period))))
(echo "holds: a tick comes back late by less than 1/128 of the period")
(check-sat)
(pop 1)

(push 1)
(assert (starts_within 128))
(assert (= owed 0))
(assert (= last begin))
(assert (not (= back (+ at period))))
(echo "holds: what was used without interruption comes back exactly a period later")
(check-sat)
(pop 1)

; A tick of the budget that is used at two times of one window of a period would be used again less than a period after its use.
(push 1)
(declare-const from Int)
(declare-const again Int)
(assert (starts_within 128))
(assert (>= again back))
(assert (and (<= from at) (< at (+ from period)) (<= from again) (< again (+ from period))))
(echo "holds: no tick of the budget is used twice in a window of a period")
(check-sat)
(pop 1)

(push 1)
(assert (starts_within 64))
(assert (= owed 0))
(assert (not (or (= back (+ at period)) (< (* 128 (- back (+ at period))) period))))
(echo "mistake: a window of 1/64 of the period")
(check-sat)
(pop 1)

(push 1)
(assert (starts_within 128))
(assert (< (+ begin period number) (+ at period)))
(echo "mistake: ticks count as used from the beginning of the window on")
(check-sat)
(pop 1)
