import { IconBulb } from '../../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import type { Emered } from '@caretaker/contract/devices.ts'
import { isOfTests } from '@caretaker/rules/conditions/conditions.ts'
import { useActor } from '../../api/actor.ts'
import { countOf, DevicePage, useDevice } from '../../device-page/device-page.tsx'
import { conditionsQuery } from '../../api/conditions.ts'
import { Debug, History, Maintenance, Messages } from '../../device-page/tabs.ts'
import { FlickTestAction } from './flick-test.tsx'
import { LightAlarm } from './light-alarm.tsx'
import { RunningTestPanel } from './running-test.tsx'
import { lazily } from '../../ui/lazily.tsx'

const Info = lazily(async () => (await import('./emergency-light-info.tsx')).EmergencyLightInfo)
// The default tab, prefetched when a link to the page is hovered.
Info.fetch()
const TestResults = lazily(async () => (await import('./test-results.tsx')).TestResults)

const TestSchedules = lazily(async () => (await import('./test-schedules.tsx')).TestSchedules)

/** The running test and the alarm. */
function LightHead(props: { device: Emered; brief: boolean }) {
  return (
    <>
      <RunningTestPanel {...props} />
      <LightAlarm {...props} />
    </>
  )
}

/** An emergency light: faults, equipment and test results. */
export function EmergencyLightPage() {
  const { tenant } = useActor()
  const deviceId = useDevice('EmergencyLights')?.deviceId
  const { data } = useQuery({ ...conditionsQuery(tenant, deviceId ?? ''), enabled: deviceId !== undefined })
  const failed = data?.open.filter(({ kind }) => isOfTests(kind) && kind !== 'testDegraded')
  return (
    <DevicePage
      listing="EmergencyLights"
      icon={<IconBulb size={22} stroke={1.7} />}
      tabs={{
        info: { component: Info },
        testResults: { component: TestResults, count: () => countOf(failed?.length, true) },
        testSchedules: { component: TestSchedules },
        history: { component: History },
        maintenance: { component: Maintenance },
        debug: { component: Debug },
        messages: { component: Messages },
      }}
      alarm={LightHead}
      actions={FlickTestAction}
    />
  )
}
