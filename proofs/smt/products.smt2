; The inequalities of docs/mechanisms/fixed-point.md that multiply variables, over the reals, and so for integers too. Each block
; states the premises and denies the conclusion; "unsat" says that both cannot be.

; squared_fraction: m 2^30 <= n f gives m^2 2^60 <= n^2 f^2. One coordinate that is shrunk.
(push) (declare-const m Real) (declare-const n Real) (declare-const f Real)
(assert (and (<= 0 m) (<= 0 n) (<= 0 f) (<= (* m 1073741824) (* n f))))
(assert (not (<= (* m m 1152921504606846976) (* n n f f))))
(check-sat) (pop)

; square_shrinks: a^2 <= b^2 where |a| <= |b|.
(push) (declare-const a Real) (declare-const b Real)
(assert (and (<= 0 a) (<= a b)))
(assert (not (<= (* a a) (* b b))))
(check-sat) (pop)

; factor_fits: root^2 <= bound2, N2 <= ceiling^2 and a ceiling <= 2^30 root give a^2 N2 <= 2^60 bound2. The factor of the second bound.
(push) (declare-const a Real) (declare-const root Real) (declare-const ceiling Real) (declare-const product Real)
(declare-const n2 Real) (declare-const bound2 Real)
(assert (and (<= 0 a) (<= 0 root) (< 0 ceiling) (<= (* a ceiling) (* 1073741824 root))))
(assert (and (<= (* root root) bound2) (<= n2 (* ceiling ceiling))))
(assert (not (<= (* a a n2) (* 1152921504606846976 bound2))))
(check-sat) (pop)

; quotient: a = floor(n / d) has a d <= n, and is below 2^30 where n < 2^30 d (bound < size in the clip).
(push) (declare-const a Int) (declare-const n Int) (declare-const d Int) (declare-const rest Int)
(assert (and (< 0 d) (<= 0 n) (= n (+ (* a d) rest)) (<= 0 rest) (< rest d) (< n (* 1073741824 d))))
(assert (not (and (<= (* a d) n) (< a 1073741824))))
(check-sat) (pop)

; parts_add and part_fits: sums of parts are parts, and a part of what fits is within the bound.
(push) (declare-const a Real) (declare-const b Real) (declare-const f Real) (declare-const x Real) (declare-const y Real) (declare-const c Real)
(assert (and (<= (* a c) (* f x)) (<= (* b c) (* f y))))
(assert (not (<= (* (+ a b) c) (* f (+ x y)))))
(check-sat) (pop)
(push) (declare-const a Real) (declare-const f Real) (declare-const x Real) (declare-const c Real) (declare-const bound Real)
(assert (and (< 0 c) (<= (* a c) (* f x)) (<= (* f x) (* c bound))))
(assert (not (<= a bound)))
(check-sat) (pop)

; square_of_sum: the step of the integer root, digit by digit.
(push) (declare-const r Real) (declare-const b Real)
(assert (not (= (* (+ r b) (+ r b)) (+ (* r r) (* 2 r b) (* b b)))))
(check-sat) (pop)
