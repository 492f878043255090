import { useState } from 'react'
import { Button } from '@mantine/core'
import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PropertyDevice } from '@caretaker/contract/properties.ts'
import type { ThermostatSchedules } from '@caretaker/contract/schedules.ts'
import { getThermostatSchedules, sendThermostatSchedule } from '@caretaker/contract/calls/schedules.ts'
import { lastSetting } from '@caretaker/rules/commands/life.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import type { SchedulePart, SchedulerRow, ScheduleWeek } from '@caretaker/rules/properties/schedule.ts'
import {
  emptyWeek,
  isSameSchedule,
  scheduleOf,
  schedulePartWords,
  scheduleParts,
  weekOf,
} from '@caretaker/rules/properties/schedule.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { commandsQuery } from '../../../api/device-commands.ts'
import { devicePageKey } from '../../../api/device.ts'
import { textsOf } from '../../../api/errors.ts'
import { Confirmation } from '../../../heating/confirmation.tsx'
import { refreshBoiler } from '../../../heating/send.ts'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import type { EditedWeek } from './use-week.ts'
import classes from './scheduler.module.css'

/** A V-Stat of the property with its schedules, once loaded. */
export interface Thermostat {
  device: PropertyDevice
  schedules: ThermostatSchedules | undefined
}

const schedulesQuery = (tenant: string, deviceId: string) =>
  queryOptions({
    // Includes the device details, which are refetched when a command is answered.
    queryKey: [...devicePageKey(tenant, deviceId), 'details', 'schedules'],
    meta: { shows: { subjects: ['device state', 'device commands'], deviceId } },
    queryFn: ({ signal }) => call(getThermostatSchedules, { params: { tenant, deviceId } }, { signal }),
  })

/** The V-Stats with their schedules. */
export function useThermostats(devices: readonly PropertyDevice[]): Thermostat[] {
  const { tenant } = useActor()
  const queries = useQueries({ queries: devices.map(({ deviceId }) => schedulesQuery(tenant, deviceId)) })
  return devices.map((device, index) => ({ device, schedules: queries[index]!.data }))
}

/** The schedule a V-Stat should follow: the last one sent, otherwise the reported one, or an empty week. */
const wantedOf = ({ schedules }: Thermostat, part: SchedulePart): ScheduleWeek | null =>
  schedules?.desired[part] ?? schedules?.reported[part] ?? null

/** The week of the first V-Stat of the property that has one. */
export function weekOfThermostats(thermostats: readonly Thermostat[], part: SchedulePart): SchedulerRow[] | undefined {
  for (const one of thermostats) {
    const wanted = wantedOf(one, part)
    if (wanted) return weekOf(wanted)
  }
  return undefined
}

const takesSchedules = ({ schedules }: Thermostat) => schedules?.takesSchedules === true

const maySend = (actor: Actor, { device }: Thermostat) =>
  can(actor, 'set schedule', {
    ...device,
    accessRightsTags: device.accessRightsTagId ? [device.accessRightsTagId] : [],
  }) && !device.userHasReadOnlyAccess

interface PartProps {
  part: SchedulePart
  edited: EditedWeek
  thermostats: readonly Thermostat[]
}

/**
 * Sends the week to the V-Stats of the property whose firmware supports schedules; nothing without permission or such a
 * V-Stat.
 */
export function SendToThermostat({ part, edited, thermostats }: PartProps) {
  const actor = useActor()
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const takers = thermostats.filter((one) => takesSchedules(one) && maySend(actor, one))
  if (takers.length === 0) return undefined
  const week = scheduleOf(edited.week)
  const nothing = scheduleOf(emptyWeek())
  const others = takers.filter((one) => !isSameSchedule(wantedOf(one, part) ?? nothing, week))
  const names = takers.map(({ device }) => device.serialNumber).join(', ')
  const send = async (): Promise<true | readonly string[]> => {
    const results = await Promise.allSettled(
      others.map(async ({ device: { deviceId } }) => {
        await call(sendThermostatSchedule, { params: { tenant: actor.tenant, deviceId }, body: { part, week } })
        await refreshBoiler(client, actor.tenant, deviceId)
      }),
    )
    const problems = results.flatMap((one) => (one.status === 'rejected' ? textsOf(one.reason) : []))
    if (problems.length > 0) return problems
    edited.discard()
    showSuccess(`Schedule stored, and sent to ${names}.`)
    return true
  }
  return (
    <>
      <Button variant="default" disabled={others.length === 0} onClick={() => setAsking(true)}>
        Send to thermostat
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Send this week to ${names}?`}
          verb="Send"
          onConfirm={send}
          onClose={() => setAsking(false)}
        >
          <p>
            {schedulePartWords[part]}: the week takes the place of the schedule on{' '}
            {takers.length === 1 ? 'the thermostat' : 'these thermostats'}. Times at 0 °C are not set and not sent.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The state of the last schedule sent to each V-Stat, or why none can be sent. */
export function ScheduleStanding({ part, thermostats }: Omit<PartProps, 'edited'>) {
  const without = thermostats.filter(({ schedules }) => schedules?.takesSchedules === false)
  const sent = thermostats.filter(({ schedules }) => schedules?.desired[part])
  if (without.length + sent.length === 0) return undefined
  return (
    <div className={classes.standing}>
      {sent.map((one) => (
        <Sent key={one.device.deviceId} thermostat={one} part={part} isOnly={thermostats.length === 1} />
      ))}
      {without.length > 0 && (
        <p className={classes.note}>
          The firmware of {without.map(({ device }) => device.serialNumber).join(', ')} takes no schedules.
        </p>
      )}
    </div>
  )
}

function Sent({ thermostat, part, isOnly }: { thermostat: Thermostat; part: SchedulePart; isOnly: boolean }) {
  const actor = useActor()
  const client = useQueryClient()
  const { device, schedules } = thermostat
  const { deviceId } = device
  const { data: commands } = useQuery(commandsQuery(actor.tenant, deviceId))
  const wanted = schedules!.desired[part]!
  const reported = schedules!.reported[part]
  const again = async () => {
    const body = { part, week: wanted as never }
    await call(sendThermostatSchedule, { params: { tenant: actor.tenant, deviceId }, body })
    await refreshBoiler(client, actor.tenant, deviceId)
  }
  const state = Object.fromEntries(
    scheduleParts.flatMap((one) => (schedules!.reported[one] ? [[one, schedules!.reported[one]]] : [])),
  )
  return (
    <div role="group" aria-label={`${schedulePartWords[part]} on ${device.serialNumber}`}>
      {!isOnly && <b>{device.serialNumber}</b>}
      <Confirmation
        device={{ deviceId, connectionStatus: device.connectionStatus, reported: { schedules: state } }}
        command={commands && (lastSetting(commands, 'schedule', part) ?? null)}
        waits={!reported || !isSameSchedule(reported, wanted)}
        reported={reported ? 'another schedule' : 'no schedule'}
        confirmed="The thermostat has this schedule"
        onAgain={maySend(actor, thermostat) ? again : undefined}
      />
    </div>
  )
}
