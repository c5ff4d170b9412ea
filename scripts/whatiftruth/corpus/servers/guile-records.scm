; Lists, vectors, strings and a hash table.
(define table (make-hash-table))
(define (fill i)
  (if (< i 120000)
      (begin
        (hash-set! table i
          (list (string-append "name-" (number->string i)) (vector i (* i 0.5) (modulo i 7)) (cons 'tag (modulo i 100))))
        (fill (+ i 1)))))
(fill 0)
(gc)
(display "READY\n")
(force-output)
(read-char)
(display (hash-count (const #t) table))
