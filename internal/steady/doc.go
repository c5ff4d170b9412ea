// Package steady says how far a run can be trusted to show one steady speed:
// how narrow the interval of its median is, and whether its launches, or the
// passes of a launch, drift, change between levels or lie apart.
package steady
