import { lazy } from 'react'
import { IconRouter } from '@tabler/icons-react'
import { DevicePage } from '../../device-page/device-page.tsx'
import { Debug, Messages } from '../../device-page/tabs.ts'
import { GatewayAlarm } from './gateway-alarm.tsx'

const Info = lazy(async () => ({ default: (await import('./networking-device-info.tsx')).NetworkingDeviceInfo }))

/** A gateway, repeater or extender: what its silence means, and who speaks through it. */
export const NetworkingDevicePage = () => (
  <DevicePage
    listing="NetworkingDevices"
    icon={<IconRouter size={22} stroke={1.7} />}
    alarm={GatewayAlarm}
    tabs={{ info: { component: Info }, debug: { component: Debug }, messages: { component: Messages } }}
  />
)
