import { lazy } from 'react'
import { IconBulb } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { Device } from '@caretaker/contract/devices.ts'
import { isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { useActor } from '../../api/actor.ts'
import { countOf, DevicePage } from '../../device-page/device-page.tsx'
import { conditionsQuery } from '../../device-page/queries.ts'
import { Debug, History, Maintenance, Messages } from '../../device-page/tabs.ts'
import { FlickTestAction } from './flick-test.tsx'
import { LightAlarm } from './light-alarm.tsx'

const Info = lazy(async () => ({ default: (await import('./emergency-light-info.tsx')).EmergencyLightInfo }))
const TestResults = lazy(async () => ({ default: (await import('./test-results.tsx')).TestResults }))

function useCounts({ deviceId }: Device) {
  const { tenant } = useActor()
  const { data } = useQuery(conditionsQuery(tenant, deviceId))
  const failed = data?.open.filter(({ kind }) => isOfTests(kind) && kind !== 'testDegraded')
  return { testResults: countOf(failed?.length, true) }
}

/** An emergency light: what is wrong with it, how it is equipped, and how its tests went. */
export const EmergencyLightPage = () => (
  <DevicePage
    listing="EmergencyLights"
    icon={<IconBulb size={22} stroke={1.7} />}
    tabs={{
      info: { component: Info },
      testResults: { component: TestResults },
      history: { component: History },
      maintenance: { component: Maintenance },
      debug: { component: Debug },
      messages: { component: Messages },
    }}
    alarm={LightAlarm}
    useCounts={useCounts}
    actions={FlickTestAction}
  />
)
