# SPDX-License-Identifier: BSD-3-Clause
# Runs a program on a terminal of a width and prints what it writes. Usage:
#   terminal.py WIDTH PROGRAM ARGS...
import fcntl
import os
import pty
import struct
import sys
import termios

width, command = int(sys.argv[1]), sys.argv[2:]
child, master = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    os.execv(command[0], command)
while True:
    try:
        data = os.read(master, 65536)
    except OSError:  # the program has ended
        break
    if not data:
        break
    os.write(1, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
