import { lazy } from 'react'
import { IconBulb } from '@tabler/icons-react'
import type { Emered } from '@caretaker/contract/devices.ts'
import { alarmingTest } from '@caretaker/rules/lighting/alarm.ts'
import { DevicePage } from '../../device-page/device-page.tsx'
import { Debug, History, Maintenance, Messages } from '../../device-page/tabs.ts'
import { FlickTestAction } from './flick-test.tsx'
import { LightAlarm } from './light-alarm.tsx'

const Info = lazy(async () => ({ default: (await import('./emergency-light-info.tsx')).EmergencyLightInfo }))
const TestResults = lazy(async () => ({ default: (await import('./test-results.tsx')).TestResults }))

/** How many types of tests went badly the last time, while that is what is wrong with the light. */
function worries({ deviceStatus, latestTests }: Emered): { count: number; worry: true } | undefined {
  if (!alarmingTest(deviceStatus, latestTests)) return undefined
  const count = latestTests.filter(({ result }) => result === 'Failed' || result === 'Degraded').length
  return { count, worry: true }
}

/** An emergency light: what is wrong with it, how it is equipped, and how its tests went. */
export const EmergencyLightPage = () => (
  <DevicePage
    listing="EmergencyLights"
    icon={<IconBulb size={22} stroke={1.7} />}
    tabs={{
      info: { component: Info },
      testResults: { component: TestResults, count: worries },
      history: { component: History },
      maintenance: { component: Maintenance },
      debug: { component: Debug },
      messages: { component: Messages },
    }}
    alarm={LightAlarm}
    actions={FlickTestAction}
  />
)
