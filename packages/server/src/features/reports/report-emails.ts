import { pathTo } from '@caretaker/rules/links/places.ts'
import { clockText } from '@caretaker/rules/calendar/days.ts'
import { reportKeptDays, runLabel } from '@caretaker/rules/reports/kinds.ts'
import { monthWords } from '@caretaker/rules/reports/months.ts'
import type { Config } from '../../config.ts'
import { asMail } from '../../mail/account-emails.ts'
import type { Mail } from '../../mail/mail.ts'
import type { StoredRun } from './store.ts'
import { monthIn } from './store.ts'

/** After this many ms an e-mail calls its report late. */
const late = 3_600_000

interface ReportLetter {
  config: Config
  tenant: string
  client: string
  zone: string
  to: { email: string; name: string }
  run: StoredRun
  /** The owner of the schedule, if it is another user. */
  by?: string | undefined
  /** The number of rows, with the file if it is small enough to attach; or the reason why there is no report. */
  rows?: number
  attachment?: Mail['attachment']
  fault?: string
  now: Date
}

/** The e-mail for a scheduled report, with its file attached or a link; the link checks the user's rights again. */
export function reportLetter({
  config,
  tenant,
  client,
  zone,
  to,
  run,
  by,
  rows = 0,
  attachment,
  fault,
  now,
}: ReportLetter): Mail {
  const month = monthIn(run.month)
  const what = `${runLabel(run.report_type)}${month ? ` for ${monthWords(month)}` : ''}`
  const due = run.scheduled_for
  const address = new URL(pathTo(tenant, 'Reporting'), config.origin)
  if (fault === undefined) address.searchParams.set('run', run.id)
  const letter = asMail({
    to: to.email,
    subject: `${client}: ${what}`,
    greeting: `Hello ${to.name},`,
    paragraphs: [
      fault === undefined
        ? `The report ${what} of ${client} is ready. It has ${rows.toLocaleString('en-GB')} ${rows === 1 ? 'row' : 'rows'}.`
        : `The report ${what} of ${client} could not be written: ${fault}`,
      ...(fault === undefined && !attachment
        ? [`Its file is too large for an e-mail. You can download it for ${reportKeptDays} days.`]
        : []),
      ...(due && +now - +due > late
        ? [`It was due at ${clockText(+due, zone)} and is late: it was not created until ${clockText(+now, zone)}.`]
        : []),
    ],
    link: { label: fault === undefined ? 'Download the report' : 'Open the reports', address: address.href },
    note:
      by === undefined
        ? 'You get this e-mail because you have a schedule for it. You can end it under Reporting, My Schedules.'
        : `You get this e-mail because ${by} has a schedule that sends it to you. Ask ${by} to end it.`,
  })
  return attachment ? { ...letter, attachment } : letter
}
