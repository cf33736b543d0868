// Saves the FPU registers to `save` and loads them from `load`. Stores and loads alternate so that the load and store
// pipelines work in parallel.

.arch_extension fp
    mrs     {status}, fpsr
    mrs     {control}, fpcr
    ldp     {new_status}, {new_control}, [{load}]
    stp     {status}, {control}, [{save}]
    stp     q0, q1, [{save}, #16]
    ldp     q0, q1, [{load}, #16]
    stp     q2, q3, [{save}, #48]
    ldp     q2, q3, [{load}, #48]
    stp     q4, q5, [{save}, #80]
    ldp     q4, q5, [{load}, #80]
    stp     q6, q7, [{save}, #112]
    ldp     q6, q7, [{load}, #112]
    stp     q8, q9, [{save}, #144]
    ldp     q8, q9, [{load}, #144]
    stp     q10, q11, [{save}, #176]
    ldp     q10, q11, [{load}, #176]
    stp     q12, q13, [{save}, #208]
    ldp     q12, q13, [{load}, #208]
    stp     q14, q15, [{save}, #240]
    ldp     q14, q15, [{load}, #240]
    stp     q16, q17, [{save}, #272]
    ldp     q16, q17, [{load}, #272]
    stp     q18, q19, [{save}, #304]
    ldp     q18, q19, [{load}, #304]
    stp     q20, q21, [{save}, #336]
    ldp     q20, q21, [{load}, #336]
    stp     q22, q23, [{save}, #368]
    ldp     q22, q23, [{load}, #368]
    stp     q24, q25, [{save}, #400]
    ldp     q24, q25, [{load}, #400]
    stp     q26, q27, [{save}, #432]
    ldp     q26, q27, [{load}, #432]
    stp     q28, q29, [{save}, #464]
    ldp     q28, q29, [{load}, #464]
    stp     q30, q31, [{save}, #496]
    ldp     q30, q31, [{load}, #496]
    msr     fpsr, {new_status}
    msr     fpcr, {new_control}
.arch_extension nofp
