import { useState } from 'react'
import { Button, Select } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Emered } from '@caretaker/contract/devices.ts'
import { runTest, withdrawTest } from '@caretaker/contract/calls/lighting.ts'
import { zoneName } from '@caretaker/rules/calendar/days.ts'
import { localTimeAt } from '@caretaker/rules/lighting/plan.ts'
import { nightLabel, nightText } from '@caretaker/rules/lighting/single.ts'
import { minutesOf } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { refreshTenant } from '../../actions/refresh.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { textsOf } from '../../api/errors.ts'
import { IconCalendarEvent, IconMoon } from '../../icons/index.ts'
import { CancelButton, Dialog, Problems, questionWidth } from '../../ui/dialog.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { useClock } from '../../ui/age-view.tsx'
import { useZone } from '../../ui/zone.tsx'
import { nightsQuery } from './queries.ts'

interface SingleTestProps {
  device: Emered
  variant?: 'default' | 'filled'
}

/**
 * The 3-hour test of this light only: the first free night as a button with a confirmation, and a way to change or
 * withdraw a planned test. Only for users who may test the light.
 */
export function SingleTest({ device, variant = 'default' }: SingleTestProps) {
  const actor = useActor()
  const zone = useZone()
  const now = useClock()
  const [isOpen, setOpen] = useState(false)
  const mayTest = !device.userHasReadOnlyAccess && can(actor, 'flick test', targetOfDevice(device))
  const { data } = useQuery({ ...nightsQuery(actor.tenant, device.deviceId), enabled: mayTest })
  if (!mayTest || !data) return undefined
  const planned = data.planned?.testType === 'T180' ? data.planned : null
  const nights = data.nights.filter(({ taken }) => !taken).map(({ startsAt }) => startsAt)
  const [first] = nights
  const Icon = planned ? IconCalendarEvent : IconMoon
  const label = planned
    ? 'Change test date'
    : first
      ? nightLabel(Date.parse(first), { now, zone })
      : 'No free night for a 3-hour test'
  return (
    <>
      <Button
        variant={planned ? 'default' : variant}
        disabled={!planned && !first}
        leftSection={<Icon size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      {isOpen && <SingleTestDialog {...{ device, nights, planned }} onClose={() => setOpen(false)} />}
    </>
  )
}

interface SingleTestDialogProps {
  device: Emered
  /** The start times of the free nights. */
  nights: readonly string[]
  planned: { runId: string; startsAt: string } | null
  onClose: () => void
}

/** Confirms a 3-hour test of a light, with its name, floor and the consequences. */
function SingleTestDialog({ device, nights, planned, onClose }: SingleTestDialogProps) {
  const { tenant } = useActor()
  const zone = useZone()
  const client = useQueryClient()
  const { deviceId } = device
  const others = nights.filter((at) => at !== planned?.startsAt)
  const [night, setNight] = useState(others[0])
  const [busy, setBusy] = useState<'plan' | 'withdraw'>()
  const [problems, setProblems] = useState<readonly string[]>([])
  const send = async (what: 'plan' | 'withdraw') => {
    setBusy(what)
    setProblems([])
    try {
      if (what === 'withdraw') await call(withdrawTest, { body: { tenant, deviceId, runId: planned!.runId } })
      else {
        const startsAt = localTimeAt(Date.parse(night!), zone)
        await call(runTest, { body: { tenant, deviceId, testType: 'T180', startsAt } })
      }
      showSuccess(
        what === 'withdraw'
          ? 'The 3-hour test is withdrawn.'
          : `3-hour test planned for ${nightText(Date.parse(night!), zone)}.`,
      )
      void refreshTenant(client, tenant)
      onClose()
    } catch (error) {
      setBusy(undefined)
      setProblems(textsOf(error))
    }
  }
  const name = device.deviceName || device.serialNumber
  const place = [device.floorName ?? 'no floor entered', device.buildingName].filter(Boolean).join(', ')
  return (
    <Dialog
      title={planned ? 'Change the 3-hour test?' : 'Plan a 3-hour test?'}
      size={questionWidth}
      onClose={onClose}
      busy={busy !== undefined}
      actions={
        <>
          {planned && (
            <Button
              variant="default"
              loading={busy === 'withdraw'}
              disabled={busy === 'plan'}
              onClick={() => void send('withdraw')}
            >
              Withdraw test
            </Button>
          )}
          <CancelButton disabled={busy !== undefined} first />
          <Button loading={busy === 'plan'} disabled={!night || busy === 'withdraw'} onClick={() => void send('plan')}>
            {planned ? 'Change date' : 'Plan test'}
          </Button>
        </>
      }
    >
      <p>
        <b>{name}</b> ({place})
      </p>
      {planned && <p>Planned: {nightText(Date.parse(planned.startsAt), zone)}.</p>}
      <Select
        label="Night of the test"
        allowDeselect={false}
        data={others.map((at) => ({ value: at, label: nightText(Date.parse(at), zone) }))}
        value={night ?? null}
        onChange={(at) => setNight(at ?? undefined)}
      />
      <p>{night ? meaningOf(Date.parse(night), zone) : 'None of the next 14 nights is free.'}</p>
      <Problems texts={problems} />
    </Dialog>
  )
}

/** How a test at this time affects the building. */
function meaningOf(at: number, zone: string): string {
  const ends = at + minutesOf.T180 * 60_000
  const until = `${localTimeAt(ends, zone).slice(11)} ${zoneName(ends, zone)}`
  return `This light only, until ${until}. The test empties the battery, which then needs 24 h to charge. If the power fails in the meantime, this light may go dark.`
}
