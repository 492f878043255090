import { Button } from '@mantine/core'
import type { Emered } from '@caretaker/contract/devices.ts'
import { dayText } from '@caretaker/rules/calendar/days.ts'
import { alarmTitle, alarmingTest, shortfall } from '@caretaker/rules/lighting/alarm.ts'
import { useActor } from '../../api/actor.ts'
import { AlarmPanel } from '../../ui/alarm-panel.tsx'
import { isPlainClick, useGoTo } from '../../ui/link.tsx'
import { TimeOf } from '../../ui/zone.tsx'
import { testResultsOf } from './last-tests.tsx'

/** The test for which a light needs somebody: what it showed, and what that means. */
export function LightAlarm({ device, brief }: { device: Emered; brief: boolean }) {
  const { tenant } = useActor()
  const goTo = useGoTo()
  const test = alarmingTest(device.deviceStatus, device.latestTests)
  if (!test) return undefined
  const installed = device.equipment.batteries[0]?.installedDate
  const href = testResultsOf(tenant, device.deviceId)
  return (
    <AlarmPanel
      tone={test.result === 'Failed' ? 'failed' : 'warning'}
      title={alarmTitle(test)}
      meaning={[shortfall(test), test.reason].filter(Boolean).join(' ')}
      facts={[
        <>
          Tested{' '}
          <b>
            <TimeOf at={test.testDate} />
          </b>
        </>,
        installed && (
          <>
            Battery installed <b>{dayText(installed)}</b>
          </>
        ),
      ]}
      brief={brief}
      actions={
        !brief && (
          <Button
            variant="default"
            component="a"
            href={href}
            onClick={(event) => {
              if (!isPlainClick(event)) return
              event.preventDefault()
              goTo(href)
            }}
          >
            Show test
          </Button>
        )
      }
    />
  )
}
