// Calendar arithmetic: leap years, weekdays, day of the year, days since 1970-03-01.
__device__ bool leap(int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }

__global__ void leap_years(const int *year, int *yes) { yes[threadIdx.x] = leap(year[threadIdx.x]); }

__global__ void weekday(const int *y, const int *m, const int *d, int *day) {
  int i = threadIdx.x, month = m[i], year = y[i];
  if (month < 3) {
    month += 12;
    --year;
  }
  day[i] = (d[i] + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400) % 7;
}

__global__ void days_from_civil(const int3 *date, int *days) {
  int3 c = date[threadIdx.x];
  int y = c.x - (c.y < 3), m = c.y + (c.y < 3 ? 9 : -3);
  int era = y / 400, of_era = y - era * 400;
  days[threadIdx.x] = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + c.z - 719469;
}

__global__ void days_in_month(const int *y, const int *m, int *days) {
  int i = threadIdx.x;
  switch (m[i]) {
    case 2: days[i] = leap(y[i]) ? 29 : 28; break;
    case 4:
    case 6:
    case 9:
    case 11: days[i] = 30; break;
    default: days[i] = 31;
  }
}

__global__ void clock_time(const int *seconds, int *h, int *m, int *s) {
  int t = seconds[threadIdx.x];
  h[threadIdx.x] = t / 3600 % 24;
  m[threadIdx.x] = t / 60 % 60;
  s[threadIdx.x] = t % 60;
}
