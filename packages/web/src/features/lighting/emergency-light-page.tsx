import { lazy } from 'react'
import { IconBulb } from '@tabler/icons-react'
import { DevicePage } from '../../device-page/device-page.tsx'
import { Debug, History, Maintenance, Messages } from '../../device-page/tabs.ts'
import { FlickTestAction } from './flick-test.tsx'

const Info = lazy(async () => ({ default: (await import('./emergency-light-info.tsx')).EmergencyLightInfo }))
const TestResults = lazy(async () => ({ default: (await import('./test-results.tsx')).TestResults }))

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
    actions={FlickTestAction}
  />
)
