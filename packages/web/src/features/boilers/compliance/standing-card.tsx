import type { ReactNode } from 'react'
import { useState } from 'react'
import { ActionIcon, Button } from '@mantine/core'
import { IconDroplet, IconFlame, IconPencil, IconPlus } from '../../../icons/index.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { daysBetween, daysText, deadlineAfter, monthsAfter, nearTo } from '@caretaker/rules/compliance/due.ts'
import type { RecordType } from '@caretaker/rules/compliance/records.ts'
import { recordTypeWords } from '@caretaker/rules/compliance/records.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { StatusIcon } from '../../../ui/status-icon.tsx'
import { CertificateLink } from './certificate-dialog.tsx'
import { FiguresDialog } from './figures-dialog.tsx'
import type { KnownRecord, KnownStanding } from './standing.ts'
import { StandingChip } from './standing-chip.tsx'
import classes from './compliance.module.css'

export const recordIcons: Record<RecordType, typeof IconFlame> = { GasSafety: IconFlame, WaterTreatment: IconDroplet }

interface StandingCardProps {
  deviceId: string
  standing: KnownStanding
  /** Opens the editor; absent if the user may not add records. */
  onAdd?: (() => void) | undefined
  /** Whether the editor of this card is open. */
  isAdding: boolean
}

/** The next due date, the time left, and the last result. */
export function StandingCard({ deviceId, standing, onAdd, isAdding }: StandingCardProps) {
  const { type, dueOn, figures, last } = standing
  const Icon = recordIcons[type]
  return (
    <Card
      title={recordTypeWords[type]}
      icon={<Icon stroke={1.7} aria-hidden />}
      actions={<StandingChip standing={standing} />}
    >
      <div className={classes.due}>
        <p>
          <b>{dueOn ? dayText(dueOn) : standing.state === 'NeverChecked' ? 'Never checked' : 'Never passed'}</b>{' '}
          <span>every {monthsText(figures.months)}</span>
          <ChangeFigures standing={standing} />
        </p>
        {onAdd && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            aria-expanded={isAdding}
            data-open={isAdding || undefined}
            className={classes.add}
            onClick={onAdd}
          >
            Add record
          </Button>
        )}
      </div>
      {dueOn && <Track standing={standing} dueOn={dueOn} />}
      <p className={classes.sentence}>{sentenceOf(standing)}</p>
      {last && <LastRecord deviceId={deviceId} record={last} />}
    </Card>
  )
}

/** Opens the figures for due dates, for users who may change them. */
function ChangeFigures({ standing: { type, figures } }: { standing: KnownStanding }) {
  const [isOpen, setOpen] = useState(false)
  if (!can(useActor(), 'change compliance figures')) return undefined
  const label = `Change when ${recordTypeWords[type].toLowerCase()} is due`
  return (
    <>
      <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={() => setOpen(true)}>
        <IconPencil size={16} stroke={1.7} aria-hidden />
      </ActionIcon>
      {isOpen && <FiguresDialog type={type} figures={figures} onClose={() => setOpen(false)} />}
    </>
  )
}

const monthsText = (months: number) => (months === 1 ? 'month' : `${months} months`)

/** The meaning of the date for planning a visit. */
function sentenceOf({ dueOn, failedOn, state, figures, today, last }: KnownStanding): ReactNode {
  if (failedOn) return `A check failed on ${dayText(failedOn)}. The status stays failed until a later check passes.`
  if (state === 'NeverChecked') return 'Add the latest certificate, or book a check.'
  if (!dueOn) return 'Never added.'
  if (!last) return 'Stated due date. A date without a certificate does not prove a check.'
  if (state === 'Overdue') return `Was due on ${dayText(dueOn)}. A check now counts from the day it is done.`
  const windowFrom = monthsAfter(dueOn, -figures.window)
  if (figures.window > 0 && today >= windowFrom)
    return (
      <>
        A check since {dayText(windowFrom)} keeps the date: the next is due on{' '}
        <b>{dayText(deadlineAfter(dueOn, dueOn, figures))}</b>.
      </>
    )
  const due = `Due in ${daysText(daysBetween(today, dueOn))}.`
  if (figures.window > 0) return `${due} A check from ${dayText(windowFrom)} keeps the date.`
  return `${due} ${state === 'InDate' ? `Due soon from ${dayText(nearTo(dueOn, figures))}.` : ''}`
}

/** The time from one due date to the next, with today and the window that keeps the date. */
function Track({ standing, dueOn }: { standing: KnownStanding; dueOn: string }) {
  const { figures, today } = standing
  const from = monthsAfter(dueOn, -figures.months)
  const near = nearTo(dueOn, figures)
  const share = (day: string) =>
    `${Math.min(100, Math.max(0, (daysBetween(from, day) / daysBetween(from, dueOn)) * 100))}%`
  return (
    <div className={classes.track} aria-hidden>
      <div className={classes.bar}>
        <span className={classes.past} style={{ width: share(today) }} />
        <span className={classes.window} style={{ insetInlineStart: share(near) }} />
        <span className={classes.now} style={{ insetInlineStart: share(today) }} />
      </div>
      <div className={classes.ends}>
        <span>{dayText(from)}</span>
        <span className={classes.windowFrom} style={{ insetInlineStart: share(near) }}>
          {dayText(near).slice(0, 5)}
        </span>
        <b>{dayText(dueOn)}</b>
      </div>
    </div>
  )
}

function LastRecord({ deviceId, record }: { deviceId: string; record: KnownRecord }) {
  const { testKitUsed } = record.properties
  const [attachment] = record.attachments
  return (
    <dl className={classes.rows}>
      <div>
        <dt>Last record</dt>
        <dd>
          <Result status={record.status} /> {dayText(record.day)}
        </dd>
      </div>
      {testKitUsed && (
        <div>
          <dt>Test kit</dt>
          <dd>{testKitUsed}</dd>
        </div>
      )}
      {attachment && (
        <div>
          <dt>Certificate</dt>
          <dd>
            <CertificateLink deviceId={deviceId} recordId={record.recordId} attachment={attachment} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** The result; 'Fail' is highlighted. */
export function Result({ status }: { status: KnownRecord['status'] }) {
  const tone = status === 'Pass' ? 'passed' : 'failed'
  return (
    <span className={classes.result} data-tone={tone}>
      <StatusIcon tone={tone} size={15} />
      {status}
    </span>
  )
}
