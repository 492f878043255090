import type { ReactNode } from 'react'
import { useState } from 'react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import type { Condition } from '@caretaker/contract/conditions.ts'
import type { LatestTest } from '@caretaker/contract/equipment.ts'
import { noteText, updateInterimMeasure } from '@caretaker/contract/calls/conditions.ts'
import { dayAt, dayText } from '@caretaker/rules/calendar/days.ts'
import { isDefect, isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { conditionText, endingWords, endsWords } from '@caretaker/rules/conditions/words.ts'
import { provenText } from '@caretaker/rules/lighting/proven.ts'
import { areaOf } from '@caretaker/rules/devices/products.ts'
import { displayGroup, isInService, statusText } from '@caretaker/rules/devices/status.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { RepairButton } from '../actions/repair-button.tsx'
import type { ActionTarget } from '../actions/target.ts'
import { useActor } from '../api/actor.ts'
import { call } from '../api/call.ts'
import { conditionsQuery } from '../api/conditions.ts'
import { useClock } from '../ui/age-view.tsx'
import { inlineText } from '../ui/forms/inline-controls.tsx'
import type { InlineEdit } from '../ui/forms/inline-edit.tsx'
import { InlineField, InlineFields } from '../ui/forms/inline-edit.tsx'
import { StatusIcon, toneOfGroup } from '../ui/status-icon.tsx'
import { Failed, Loading, LoadingLines } from '../ui/states.tsx'
import { TimeOf, useZone } from '../ui/zone.tsx'
import { EndConditionDialog, SetConditionDialog } from './condition-dialogs.tsx'
import { useDeviceEdit } from './use-device-edit.ts'
import classes from './conditions.module.css'

type Open = { kind: 'set' } | { kind: 'end'; condition: Condition }

/** Extra content for a reason, by its kind. */
export type ConditionHints = Partial<Record<Condition['kind'], ReactNode>>

interface ConditionsProps {
  device: ActionTarget
  tests?: readonly LatestTest[] | undefined
  hints?: ConditionHints | undefined
}

/** The reasons for a device's status, when they began, what ends them, and earlier reasons. */
export function Conditions({ device, tests, hints = {} }: ConditionsProps) {
  const { deviceId } = device
  const actor = useActor()
  const { data, isError, refetch } = useQuery(conditionsQuery(actor.tenant, deviceId))
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const [zone, now] = [useZone(), useClock()]
  if (!data)
    return (
      <section className={classes.panel} aria-label="Reasons for the status">
        {isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading label="Loading the reasons">
            <LoadingLines lines={1} />
          </Loading>
        )}
      </section>
    )
  const group = displayGroup(data.status)
  const tone = group ? toneOfGroup[group] : 'not-installed'
  // The alarm panel above shows the same, so this panel is less prominent.
  const isInAlarm = data.open.some(({ kind }) => kind === 'fault' || isOfTests(kind))
  const maySet = isInService(data.status) && can(actor, 'set condition', device)
  const isTested = areaOf(device.product) === 'lighting'
  return (
    <section
      className={classes.panel}
      data-tone={tone}
      data-alarm={isInAlarm || undefined}
      aria-label="Reasons for the status"
    >
      <header className={classes.head}>
        <StatusIcon tone={tone} size={18} />
        <h2>
          {statusText(data.status)} <span>since {<TimeOf at={data.since} />}</span>
        </h2>
        {maySet && (
          <span className={classes.actions}>
            <RepairButton device={device} size="xs" />
            <Button variant="default" size="xs" onClick={() => setOpen({ kind: 'set' })}>
              Set status
            </Button>
          </span>
        )}
      </header>
      {data.open.length > 0 ? (
        <ul className={classes.list}>
          {data.open.map((condition) => (
            <li key={condition.conditionId}>
              <div className={classes.reason}>
                <Reason condition={condition} isTested={isTested} />
                {hints[condition.kind]}
                <Interim device={device} condition={condition} mayWrite={maySet && isTested} />
              </div>
              {condition.mayBeEnded && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  aria-label={`End: ${textOf(condition)}`}
                  onClick={() => setOpen({ kind: 'end', condition })}
                >
                  End
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : (
        <p className={classes.quiet}>No open faults.</p>
      )}
      {tests && <p className={classes.quiet}>{provenText(tests, now, zone)}</p>}
      {data.ended.length > 0 && <History conditions={data.ended} />}
      {open?.kind === 'set' && (
        <SetConditionDialog device={device} known={data.open.map(({ kind }) => kind)} onClose={close} />
      )}
      {open?.kind === 'end' && (
        <EndConditionDialog device={device} condition={open.condition} text={textOf(open.condition)} onClose={close} />
      )}
    </section>
  )
}

function textOf({ kind, key, states, description }: Condition): string {
  return conditionText({ kind, key, description, ...(states && { states: known(states) }) })
}

/** Removes parts without a reported state. */
function known(states: NonNullable<Condition['states']>) {
  return Object.fromEntries(Object.entries(states).filter(([, state]) => state !== undefined))
}

function Reason({ condition, isTested }: { condition: Condition; isTested: boolean }) {
  const { kind, key, until } = condition
  return (
    <>
      <b>{textOf(condition)}</b>{' '}
      <span>
        since <TimeOf at={condition.beganAt} />
      </span>
      <p>
        {[detailsOf(condition), endsWords({ kind, key }, { hasEnd: until !== null, isTested })]
          .filter(Boolean)
          .join(' ')}
      </p>
    </>
  )
}

interface InterimProps {
  device: ActionTarget
  condition: Condition
  mayWrite: boolean
}

/** The interim measure until a light is repaired, as required by the inspector's sheet for each failure. */
function Interim({ device, condition, mayWrite }: InterimProps) {
  const { tenant } = useActor()
  const { deviceId } = device
  const zone = useZone()
  const client = useQueryClient()
  const save = useDeviceEdit(device)
  const { conditionId, kind, interimMeasure } = condition
  const mayEdit = mayWrite && isDefect(kind)
  if (!mayEdit && !interimMeasure) return undefined
  const edit: InlineEdit = {
    value: interimMeasure?.text ?? '',
    control: inlineText({ maxLength: noteText }),
    hint: 'What is done until the fault is repaired. Shown on the inspector’s sheet',
    fault: () => undefined,
    save: async (text) => {
      await save(call(updateInterimMeasure, { body: { tenant, deviceId, conditionId, interimMeasure: text } }))
      await client.invalidateQueries(conditionsQuery(tenant, deviceId))
    },
  }
  return (
    <InlineFields>
      <InlineField
        label="Interim measure"
        note={interimMeasure && `${interimMeasure.by}, ${dayText(dayAt(Date.parse(interimMeasure.at), zone))}`}
        edit={mayEdit ? edit : undefined}
      >
        {interimMeasure?.text}
      </InlineField>
    </InlineFields>
  )
}

/** The author of a condition with the details. */
function detailsOf({ by, note, repairedBy, repairedOn, until, carriedOver }: Condition): string {
  return [
    repairedBy && `Repaired by ${repairedBy}${repairedOn ? ` on ${dayText(repairedOn)}` : ''}.`,
    by && by !== repairedBy && `${repairedBy ? 'Recorded' : 'Set'} by ${by}.`,
    note && `“${note}”`,
    until && `Until ${dayText(until)}.`,
    carriedOver && 'Recorded before reasons were kept.',
  ]
    .filter(Boolean)
    .join(' ')
}

function History({ conditions }: { conditions: readonly Condition[] }) {
  return (
    <details className={classes.history}>
      <summary>{conditions.length === 1 ? 'One earlier reason' : `${conditions.length} earlier reasons`}</summary>
      <ol className={classes.list}>
        {conditions.map((condition) => (
          <li key={condition.conditionId}>
            <div className={classes.reason}>
              <b>{textOf(condition)}</b>{' '}
              <span>
                <TimeOf at={condition.beganAt} /> to <TimeOf at={condition.endedAt!} />
              </span>
              <p>
                {[
                  detailsOf(condition),
                  condition.interimMeasure && `Interim measure: “${condition.interimMeasure.text}”`,
                  `${endingWords[condition.ending!]}${condition.endedBy ? `, by ${condition.endedBy}` : ''}.`,
                  condition.endNote && `“${condition.endNote}”`,
                ]
                  .filter(Boolean)
                  .join(' ')}
              </p>
            </div>
          </li>
        ))}
      </ol>
    </details>
  )
}
