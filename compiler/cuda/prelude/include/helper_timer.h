// Host helpers that samples include: names for declarations; the bodies that use them are skipped.
#pragma once
#pragma clang system_header

class StopWatchInterface;
