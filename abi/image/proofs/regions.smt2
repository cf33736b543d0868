; Overlaps: `Range::overlaps` in src/record.rs; the order of regions, `Runs::admit`, and the order of mappings, `check_mappings`, in
; src/validate.rs. Addresses are integers: regions end at ADDRESS_LIMIT, and the goals in 64 bits show that mappings do not wrap.

(set-logic ALL)

(declare-const start Int)
(declare-const end Int)
(assert (and (<= 0 start) (< start end)))

; Another range, or the region with this number.
(declare-const number Int)
(declare-const start_of Int)
(declare-const end_of Int)
(assert (and (<= 0 start_of) (< start_of end_of)))

(define-fun overlaps () Bool (and (< start end_of) (< start_of end)))
(define-fun disjoint () Bool (or (<= end start_of) (<= end_of start)))
(define-fun later () Int (ite (< start start_of) start_of start))

(push 1)
(declare-const address Int)
(assert (and (<= start address) (< address end) (<= start_of address) (< address end_of)))
(assert (not overlaps))
(echo "holds: ranges with a common address overlap")
(check-sat)
(pop 1)

(push 1)
(assert overlaps)
(assert (not (and (<= start later) (< later end) (<= start_of later) (< later end_of))))
(echo "holds: ranges that overlap have a common address, the later start")
(check-sat)
(pop 1)

(push 1)
(assert (not (= overlaps (not disjoint))))
(echo "holds: ranges that do not overlap are disjoint")
(check-sat)
(pop 1)

(push 1)
(assert (and (<= start end_of) (<= start_of end)))
(assert (not (and (<= start later) (< later end) (<= start_of later) (< later end_of))))
(echo "mistake: ranges that touch overlap")
(check-sat)
(pop 1)

; `Runs::admit` for a region [start, end), against any earlier region `number`. Before, in the run of the last region, all regions
; end at or before `last_end`.
(declare-const last_end Int)

(push 1)
(assert (<= end_of last_end))
(assert (<= last_end start))
(assert (not (and disjoint (<= end_of end) (<= end end))))
(echo "holds: a region that is admitted is behind its run, which ends with it")
(check-sat)
(pop 1)

; In the second run, `number` is in the first run of `first` regions, and `passed` is the count `other` of the code after its loop:
; the loop has left behind regions that end at or before `start`, and stops at one that does not, or at the end of the run.
(declare-const first Int)
(declare-const passed Int)
(declare-const start_of_next Int)
(declare-const end_of_next Int)
(assert (and (<= 0 number) (< number first) (<= 0 passed) (<= passed first)))
(define-fun first_run_ascends () Bool
  (and (< start_of_next end_of_next)
       (=> (= number passed) (and (= start_of start_of_next) (= end_of end_of_next)))
       (=> (< passed number) (<= end_of_next start_of))))
(define-fun loop_has_ended () Bool
  (and (=> (< number passed) (<= end_of start)) (or (= passed first) (> end_of_next start))))

(push 1)
(assert (and first_run_ascends loop_has_ended))
(assert (or (= passed first) (<= end start_of_next)))
(assert (not disjoint))
(echo "holds: a region of the second run that is admitted is disjoint from the first run")
(check-sat)
(pop 1)

(push 1)
(declare-const next_start Int)
(assert (and loop_has_ended (<= end next_start) (< number passed)))
(assert (not (<= end_of next_start)))
(echo "holds: what the loop has left behind is behind the next region as well")
(check-sat)
(pop 1)

(push 1)
(assert (and first_run_ascends loop_has_ended))
(assert (or (= passed first) (<= start start_of_next)))
(assert (not disjoint))
(echo "mistake: a region of the second run is only compared by its start")
(check-sat)
(pop 1)

(push 1)
(assert first_run_ascends)
(assert (=> (< number passed) (<= end_of start)))
(assert (< passed first))
(assert (not disjoint))
(echo "mistake: the region at which the loop stops is not compared")
(check-sat)
(pop 1)

(push 1)
(assert (and loop_has_ended (< start_of_next end_of_next)))
(assert (or (= passed first) (<= end start_of_next)))
(assert (not disjoint))
(echo "mistake: the first run does not ascend")
(check-sat)
(pop 1)

; Mappings ascend by address space, then by address: `previous` is the end of the mapping before, and at or behind the end of each
; earlier one of the same address space.
(declare-const space Int)
(declare-const space_of Int)
(declare-const previous_space Int)
(declare-const previous_end Int)
(define-fun follows ((space1 Int) (address1 Int) (space2 Int) (address2 Int)) Bool
  (or (> space1 space2) (and (= space1 space2) (>= address1 address2))))

(push 1)
(assert (follows previous_space previous_end space_of end_of))
(assert (follows space start previous_space previous_end))
(assert (not (and (or (not (= space space_of)) disjoint) (follows space end space_of end_of))))
(echo "holds: mappings in ascending order are disjoint in each address space")
(check-sat)
(pop 1)

(push 1)
(assert (follows previous_space previous_end space_of end_of))
(assert (or (> space previous_space) (and (= space previous_space) (>= start start_of))))
(assert (not (or (not (= space space_of)) disjoint)))
(echo "mistake: mappings ascend by their starts only")
(check-sat)
(pop 1)

; The end of a mapping in 64 bits, in `check_mappings`.
(declare-const address (_ BitVec 64))
(declare-const bytes (_ BitVec 64))
(declare-const user_top (_ BitVec 64))
(define-fun end_address () (_ BitVec 64) (bvadd address bytes))

(push 1)
(assert (not (= bytes (_ bv0 64))))
(assert (bvuge end_address address))
(assert (bvule (bvsub end_address (_ bv1 64)) user_top))
(assert (not (and (bvult address end_address) (bvule address user_top))))
(echo "holds: a mapping has addresses, all of them up to the last one of programs")
(check-sat)
(pop 1)

(push 1)
(assert (not (= bytes (_ bv0 64))))
(assert (bvule (bvsub end_address (_ bv1 64)) user_top))
(assert (not (bvule address user_top)))
(echo "mistake: the end of a mapping may wrap")
(check-sat)
(pop 1)
