import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { stopLightTest } from '@caretaker/contract/calls/lighting.ts'
import type { Emered } from '@caretaker/contract/devices.ts'
import { runningTestText } from '@caretaker/rules/lighting/running.ts'
import { testNames } from '@caretaker/rules/lighting/tests.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { refreshTenant } from '../../actions/refresh.ts'
import { targetOfDevice } from '../../actions/target.ts'
import { useActor } from '../../api/actor.ts'
import { commandsQuery, isUnanswered } from '../../api/device-commands.ts'
import { attempt } from '../../api/attempt.ts'
import { useClock } from '../../ui/age-view.tsx'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showSuccess } from '../../ui/toasts.tsx'
import { useZone } from '../../ui/zone.tsx'

/** The running test of the light, and a button to stop it. It does not change the status. */
export function RunningTestPanel({ device, brief }: { device: Emered; brief: boolean }) {
  const actor = useActor()
  const [zone, now] = [useZone(), useClock()]
  const [asks, setAsks] = useState(false)
  const { data: commands } = useQuery(commandsQuery(actor.tenant, device.deviceId))
  const latest = commands?.find(({ name }) => name === 'stopTest')
  const isStopping = latest !== undefined && isUnanswered(latest)
  const { runningTest } = device
  if (!runningTest || now >= Date.parse(runningTest.endsAt)) return undefined
  return (
    <>
      <AlarmPanel
        tone="neutral"
        title={runningTestText(runningTest, now, zone)}
        brief={brief ? '' : undefined}
        actions={
          can(actor, 'flick test', targetOfDevice(device)) && (
            <Button
              variant="default"
              disabled={isStopping}
              title={isStopping ? 'Stop command queued' : undefined}
              onClick={() => setAsks(true)}
            >
              Stop test
            </Button>
          )
        }
      />
      {asks && <StopTestDialog device={device} test={runningTest} onClose={() => setAsks(false)} />}
    </>
  )
}

interface StopTestDialogProps {
  device: Emered
  test: NonNullable<Emered['runningTest']>
  onClose: () => void
}

function StopTestDialog({ device: { deviceId, deviceName, serialNumber }, test, onClose }: StopTestDialogProps) {
  const { tenant } = useActor()
  const client = useQueryClient()
  const stop = async () => {
    const sent = await attempt(stopLightTest, { body: { tenant, deviceId } })
    if (!sent) return ['The test could not be stopped.']
    void refreshTenant(client, tenant)
    return true as const
  }
  return (
    <ConfirmDialog
      title="Stop test"
      verb="Stop test"
      danger
      onConfirm={stop}
      onClose={onClose}
      onDone={() => {
        onClose()
        showSuccess('Stop test sent')
      }}
    >
      <p>
        Stop the {testNames[test.testType]} of <b>{deviceName || serialNumber}</b>? Its result will be “Indeterminate:
        ended by a person”, and the test has to be repeated.
      </p>
    </ConfirmDialog>
  )
}
