; The bitmap of ready priorities: `Bitmap`, `mark` and `unmark` in src/sched/ready.rs.
;
; The four words are one vector of 256 bits, with priority p at bit p.

(set-logic QF_BV)

(define-fun one () (_ BitVec 256) (_ bv1 256))
(define-fun at ((priority (_ BitVec 8))) (_ BitVec 256) (bvshl one ((_ zero_extend 248) priority)))
(define-fun has ((bits (_ BitVec 256)) (priority (_ BitVec 8))) Bool
  (not (= (bvand bits (at priority)) (_ bv0 256))))

(define-fun word ((bits (_ BitVec 256)) (index (_ BitVec 2))) (_ BitVec 64)
  ((_ extract 63 0) (bvlshr bits (bvmul ((_ zero_extend 254) index) (_ bv64 256)))))

; 64 minus the number of leading zeros of a word that is not zero: halves are searched, and `rest` has the bits below.
(define-fun half ((bits (_ BitVec 64)) (shift (_ BitVec 64))) (_ BitVec 64)
  (ite (= (bvlshr bits shift) (_ bv0 64)) (_ bv0 64) shift))
(define-fun length ((bits (_ BitVec 64))) (_ BitVec 64)
  (let ((a (half bits (_ bv32 64))))
  (let ((b (bvadd a (half (bvlshr bits a) (_ bv16 64)))))
  (let ((c (bvadd b (half (bvlshr bits b) (_ bv8 64)))))
  (let ((d (bvadd c (half (bvlshr bits c) (_ bv4 64)))))
  (let ((e (bvadd d (half (bvlshr bits d) (_ bv2 64)))))
  (bvadd e (half (bvlshr bits e) (_ bv1 64)) (_ bv1 64))))))))

; `Bitmap::highest_up_to`, whose loop has four steps at most; `own` is the word of the priority.
(define-fun found ((bits (_ BitVec 256)) (index (_ BitVec 2))) (_ BitVec 16)
  (bvadd (bvmul ((_ zero_extend 14) index) (_ bv64 16)) ((_ extract 15 0) (length (word bits index)))))
(define-fun search ((bits (_ BitVec 256)) (own (_ BitVec 2))) (_ BitVec 16)
  (ite (and (bvuge own (_ bv3 2)) (not (= (word bits (_ bv3 2)) (_ bv0 64)))) (found bits (_ bv3 2))
  (ite (and (bvuge own (_ bv2 2)) (not (= (word bits (_ bv2 2)) (_ bv0 64)))) (found bits (_ bv2 2))
  (ite (and (bvuge own (_ bv1 2)) (not (= (word bits (_ bv1 2)) (_ bv0 64)))) (found bits (_ bv1 2))
  (ite (not (= (word bits (_ bv0 2)) (_ bv0 64))) (found bits (_ bv0 2))
  (_ bv0 16))))))
(define-fun highest_up_to ((bits (_ BitVec 256)) (priority (_ BitVec 8))) (_ BitVec 16)
  (search bits ((_ extract 7 6) priority)))

; The number is the highest priority plus one, or zero without a priority: what it has to be.
(define-fun is_highest ((bits (_ BitVec 256)) (number (_ BitVec 16))) Bool
  (and (bvule number (_ bv256 16))
       (= (bvlshr bits ((_ zero_extend 240) number)) (_ bv0 256))
       (or (= number (_ bv0 16)) (has bits ((_ extract 7 0) (bvsub number (_ bv1 16)))))))

(declare-const bits (_ BitVec 256))
(declare-const priority (_ BitVec 8))
(declare-const other (_ BitVec 8))
(declare-const queued (_ BitVec 16))
(define-fun end () (_ BitVec 16) (bvadd ((_ zero_extend 8) priority) (_ bv1 16)))
(define-fun set () (_ BitVec 256) (bvor bits (at priority)))
(define-fun cleared () (_ BitVec 256) (bvand bits (bvnot (at priority))))

(push 1)
(assert (not (= (has set other) (or (= other priority) (has bits other)))))
(echo "holds: set adds a priority and changes no other")
(check-sat)
(pop 1)

(push 1)
(assert (not (= (has cleared other) (and (not (= other priority)) (has bits other)))))
(echo "holds: clear removes a priority and changes no other")
(check-sat)
(pop 1)

(push 1)
(assert (= (bvlshr bits ((_ zero_extend 240) end)) (_ bv0 256)))
(assert (not (is_highest bits (highest_up_to bits priority))))
(echo "holds: the search from the highest priority or above finds the highest one")
(check-sat)
(pop 1)

(push 1)
(assert (is_highest bits queued))
(assert (not (is_highest set (ite (bvugt end queued) end queued))))
(echo "holds: mark keeps the number of the highest priority")
(check-sat)
(pop 1)

(push 1)
(assert (and (has bits priority) (is_highest bits queued)))
(assert (not (is_highest cleared (ite (= queued end) (highest_up_to cleared priority) queued))))
(echo "holds: unmark keeps the number of the highest priority")
(check-sat)
(pop 1)

(push 1)
(assert (not (is_highest bits (highest_up_to bits priority))))
(echo "mistake: the search begins below the highest priority")
(check-sat)
(pop 1)

(push 1)
(assert (and (has bits priority) (is_highest bits queued)))
(assert (not (is_highest cleared queued)))
(echo "mistake: unmark leaves the number of the highest priority")
(check-sat)
(pop 1)

(push 1)
(assert (is_highest bits queued))
(assert (not (is_highest set end)))
(echo "mistake: mark takes the priority that was added for the highest")
(check-sat)
(pop 1)
