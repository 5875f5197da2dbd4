; a line of each form
block 0:
  mov r1!, [global 4 + tid*4]
  add.carry r2!|p1!, r1, -7
  @p1 addc r3!, s2, c5
  @!s2 mov r4!, s1 else r4
  jump 1
block 1:
  setp.ltu p0!, r1, c2
  @s1 pand p2!, !p1
  shfl.down r5!|p3!, r1, 1, 3:2
  @p0 ballot r6!
  branch !s2, 2, 3
block 2:
  div r1, 10
  nop
  quo r7!
  rem r8!
  bar 3
block 3:
  ldhs _, [shared c3 + lane*2]
  sub.ge _|p0, s1, gtid
  @s2 atom.cas r9!, r1, [shared 8 + r0], s1
  exit.if s2, 4
block 4:
  @p3 st [global 4 + tid*4], r9
  trap
