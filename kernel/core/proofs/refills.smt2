; Refills of a share: `Refill` and `SporadicServer` in src/sched/sporadic_server.rs.
;
; Times and amounts are ticks, as integers; the goals in 64 bits show that sums do not wrap, so that integers describe the code. A
; refill is used from its time on, as fast as possible: at time x, `used` of it is gone. A change of the list is safe if afterwards
; no more can be used up to any time than before.

(set-logic ALL)

(define-fun used ((x Int) (time Int) (amount Int)) Int
  (ite (<= x time) 0 (ite (>= x (+ time amount)) amount (- x time))))

(declare-const x Int)
(declare-const time1 Int)
(declare-const amount1 Int)
(declare-const time2 Int)
(declare-const amount2 Int)
(declare-const previous_end Int)
(assert (and (<= 0 time1) (< 0 amount1) (<= 0 time2) (< 0 amount2)))

; `Refill::delayed_into`: the second refill starts after the first one ends.
(define-fun merged_time () Int (- time2 amount1))
(define-fun merged_amount () Int (+ amount1 amount2))

(push 1)
(assert (<= (+ time1 amount1) time2))
(assert (> (used x merged_time merged_amount) (+ (used x time1 amount1) (used x time2 amount2))))
(echo "holds: a merged refill never gives more than its two parts")
(check-sat)
(pop 1)

(push 1)
(assert (<= (+ time1 amount1) time2))
(assert (not (and (= (+ merged_time merged_amount) (+ time2 amount2)) (>= merged_time time1) (>= merged_time 0))))
(echo "holds: a merged refill ends when the later one would, and starts neither before the earlier one nor before zero")
(check-sat)
(pop 1)

(push 1)
(assert (<= (+ time1 amount1) time2))
(assert (> (used x time1 merged_amount) (+ (used x time1 amount1) (used x time2 amount2))))
(echo "mistake: a merged refill starts with the earlier one")
(check-sat)
(pop 1)

(push 1)
(assert (> (used x merged_time merged_amount) (+ (used x time1 amount1) (used x time2 amount2))))
(echo "mistake: refills that overlap are merged as if they did not")
(check-sat)
(pop 1)

; `SporadicServer::append` and `begin`: a refill that starts no later than the one before it ends is added to that one.
(push 1)
(assert (<= time2 (+ time1 amount1)))
(assert (> (used x time1 merged_amount) (+ (used x time1 amount1) (used x time2 amount2))))
(echo "holds: a refill that is added to one that ends later gives no more than both")
(check-sat)
(pop 1)

(push 1)
(assert (<= time2 (+ time1 amount1 1)))
(assert (> (used x time1 merged_amount) (+ (used x time1 amount1) (used x time2 amount2))))
(echo "mistake: a refill is added to one that ends a tick before it")
(check-sat)
(pop 1)

; `SporadicServer::begin` moves the first refill to the present.
(push 1)
(declare-const now Int)
(assert (<= time1 now))
(assert (> (used x now amount1) (used x time1 amount1)))
(echo "holds: a refill that moves to the present gives no more than before")
(check-sat)
(pop 1)

; A step of the loop in `SporadicServer::charge`: `first` loses what is owed, at most all of it. `others` is what the rest of the
; list has, `taken` what earlier steps took.
(declare-const owed Int)
(declare-const taken Int)
(declare-const others Int)
(declare-const wanted Int)
(declare-const budget Int)
(define-fun step () Int (ite (< owed amount1) owed amount1))
(define-fun holds ((owed Int) (taken Int) (list Int)) Bool
  (and (>= owed 0) (>= taken 0) (>= list 0) (= (+ owed taken) wanted) (= (+ list taken) budget)))

(push 1)
(assert (>= wanted 0))
(assert (not (holds wanted 0 budget)))
(assert (>= budget 0))
(echo "holds: before the first step, all is owed and the list has the budget")
(check-sat)
(pop 1)

(push 1)
(assert (>= others 0))
(assert (holds owed taken (+ amount1 others)))
(assert (not (and (holds (- owed step) (+ taken step) (+ (- amount1 step) others))
                  (= (+ (+ time1 step) (- amount1 step)) (+ time1 amount1)))))
(echo "holds: each step keeps the sums of what is owed and taken, and the end of the refill")
(check-sat)
(pop 1)

(push 1)
(assert (holds owed taken others))
(assert (or (= owed 0) (= others 0)))
(assert (not (and (= (+ others (- wanted owed)) budget) (>= (- wanted owed) 0))))
(echo "holds: after the charge, the list and the new refill add up to the budget")
(check-sat)
(pop 1)

(push 1)
(assert (holds owed taken others))
(assert (or (= owed 0) (= others 0)))
(assert (not (= (+ others wanted) budget)))
(echo "mistake: the new refill has all that was used, also what exceeds the budget")
(check-sat)
(pop 1)

; Sums in 64 bits. `limits::MAX_PERIOD_US` is an hour, and no timer has more than 2^34 ticks in a second. Amounts add up to the
; budget, which is at most the period; `time` is when it is used, 2^62 ticks or eight years after the start at most.
(declare-const part (_ BitVec 64))
(declare-const rest (_ BitVec 64))
(declare-const whole (_ BitVec 64))
(declare-const time (_ BitVec 64))
(declare-const period (_ BitVec 64))
(define-fun most_period () (_ BitVec 64) (bvmul (_ bv3600 64) (bvshl (_ bv1 64) (_ bv34 64))))
(define-fun fits ((one (_ BitVec 64)) (other (_ BitVec 64))) Bool (bvuge (bvadd one other) one))

(push 1)
(assert (and (bvule period most_period) (bvule whole period) (bvule part whole) (bvule rest (bvsub whole part))))
(assert (bvule time (bvshl (_ bv1 64) (_ bv62 64))))
(assert (not (and (fits part rest) (fits time period) (fits (bvadd time period) whole))))
(echo "holds: sums of amounts, and of a time, a period and a budget, do not wrap")
(check-sat)
(pop 1)

(push 1)
(assert (and (bvule part whole) (bvule rest whole)))
(assert (not (fits part rest)))
(echo "mistake: the sum of any two amounts is taken")
(check-sat)
(pop 1)

; `SporadicServer::at` finds the position of a refill in the ring of 16 from a counter that wraps.
(declare-const first (_ BitVec 64))
(declare-const one (_ BitVec 64))
(declare-const other (_ BitVec 64))
(define-fun place ((position (_ BitVec 64)) (refills (_ BitVec 64))) (_ BitVec 64)
  (bvurem (bvadd first position) refills))

(push 1)
(assert (and (bvult one (_ bv16 64)) (bvult other (_ bv16 64)) (not (= one other))))
(assert (= (place one (_ bv16 64)) (place other (_ bv16 64))))
(echo "holds: 16 positions have different places, wherever the ring begins")
(check-sat)
(pop 1)

(push 1)
(assert (= first (bvnot (_ bv0 64))))
(assert (and (bvult one (_ bv15 64)) (bvult other (_ bv15 64)) (not (= one other))))
(assert (= (place one (_ bv15 64)) (place other (_ bv15 64))))
(echo "mistake: a ring of 15 refills")
(check-sat)
(pop 1)
