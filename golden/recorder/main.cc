// recorder LAUNCHES MODULES DRIVER TOOLKIT: runs the launches of a list on this machine's GPU and
// writes a recording, all but its last line, to standard output. The script `record` calls it.
//
// Exit status: 0 recorded · 2 no device, the list cannot be read, or not one launch can be
// recorded.
#include <ctime>
#include <fstream>
#include <iostream>

#include "recorder.h"

int main(int argc, char** argv) {
  using namespace qgpu::recorder;
  if (argc != 5) {
    std::cerr << "usage: recorder LAUNCHES MODULES DRIVER TOOLKIT\n";
    return 2;
  }
  std::ifstream list(argv[1]);
  std::string complaint;
  const auto entries = readLaunchList(list, complaint);
  if (!entries) {
    std::cerr << argv[1] << ": error: " << complaint << '\n';
    return 2;
  }
  const auto device = openDevice(argv[2], complaint);
  if (!device) {
    std::cerr << "error: no GPU to record on: " << complaint << '\n';
    return 2;
  }
  const std::time_t now = std::time(nullptr);
  char date[16] = {};
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::cout << headerLine(*device, {argv[3], argv[4], date}) << '\n';
  const Totals totals = recordAll(*entries, *device, std::cout, std::cerr);
  std::cout.flush();
  std::cerr << "recorded " << totals.recorded << " launches on " << device->name() << ", omitted "
            << totals.omitted << '\n';
  return std::cout && totals.recorded > 0 ? 0 : 2;
}
