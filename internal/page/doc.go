// Package page writes reports as one HTML file that needs nothing else: no
// script, no font, no request. It follows the reader's light or dark scheme,
// prints on white, fits a phone (wide tables scroll in a box of their own, and
// figures are drawn anew for the narrow screen), and can be walked through by
// keyboard. Whatever names hold is text in it, never markup.
//
// A page is a list of sections of blocks: Text, List, Verdict, Table, Figure,
// Details.
package page
