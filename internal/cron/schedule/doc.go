// Package schedule says when a job fires. It knows expressions, time zones and the calendar; it has no clock
// and starts nothing. Start with Parse, and Schedule.Next.
//
// A schedule is a cron expression of five fields (minute, hour, day of month, month, day of week), or one of a few
// English forms, which Parse turns into an expression, or a date and time, at which it fires once. As in crontab(5), if
// neither day field begins with an asterisk, a day that either of them names is enough. "1#2" is the second Monday of a
// month, "5L" its last Friday, and L as the day of month its last day.
//
// Limits may follow: which days, weeks or months of a count, from when on, until when, and on which dates not. Or a schedule is a delay,
// such as @every 90m, which is counted in real time from a reading of the clock on.
//
// The fields name readings of a clock on the wall, in a time zone whose clocks are sometimes put forward (a gap) or
// back (a fold). What that does to a schedule depends on its hours:
//
//   - Hours that are fixed, such as 7 or 9-17, and a date and time: each reading that the fields name fires once, at the first moment at
//     which the clock shows it or a later one. So a reading in a gap fires at the end of the gap, and a reading in a
//     fold fires the first time only. Readings that are reached at the same moment fire together, once.
//   - Hours with an asterisk or a step, such as * or */2, and all hours: each moment fires at which the clock shows a
//     reading that the fields name. So an hourly job leaves out the hour of a gap, and fires in both hours of a fold.
package schedule
