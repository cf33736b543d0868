; Differences and sums of times that may wrap: `change_sched_context` and `limit_slice` in src/sched/budget.rs.

(set-logic QF_BV)

(declare-const now (_ BitVec 64))
(declare-const since (_ BitVec 64))
(declare-const remaining (_ BitVec 64))
; What remains of a slice or refill is at most an hour of ticks, fewer than 2^46.
(assert (bvule remaining (bvshl (_ bv1 64) (_ bv46 64))))
(define-fun early ((time (_ BitVec 64))) Bool (bvult time (bvshl (_ bv1 64) (_ bv63 64))))
; `now.wrapping_sub(self.processor.since)`.
(define-fun used () (_ BitVec 64) (bvsub now since))

(push 1)
(assert (and (early now) (early since)))
(assert (bvult now since))
(assert (bvult used remaining))
(echo "holds: a clock that ran backwards takes the slow path")
(check-sat)
(pop 1)

(push 1)
(assert (bvule since now))
(assert (bvult used remaining))
(assert (not (and (bvuge remaining (bvsub remaining used)) (bvult (_ bv0 64) (bvsub remaining used)))))
(echo "holds: on the fast path something remains, and no more than before")
(check-sat)
(pop 1)

(push 1)
(assert (bvult now since))
(assert (bvult used remaining))
(echo "mistake: times may be anything")
(check-sat)
(pop 1)

(push 1)
(assert (bvule since now))
(assert (bvule used remaining))
(assert (not (bvult (_ bv0 64) (bvsub remaining used))))
(echo "mistake: the fast path takes a slice that is used up")
(check-sat)
(pop 1)

; `self.processor.since.wrapping_add(remaining)`.
(push 1)
(assert (bvult (bvadd since remaining) since))
(assert (not (bvult (bvadd since remaining) remaining)))
(echo "holds: a sum that wraps is smaller than what remains, so the timer fires early")
(check-sat)
(pop 1)
