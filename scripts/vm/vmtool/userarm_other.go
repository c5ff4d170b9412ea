//go:build !linux

package main

import "context"

func (t *tool) userArm(context.Context, []string) int {
	return t.fail(errUsage("user-arm.sh works on Linux only"))
}

func (t *tool) userArmChild(context.Context, []string) int { return exitUsage }
