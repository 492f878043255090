import { IconRouter } from '../../icons/index.ts'
import { DevicePage } from '../../device-page/device-page.tsx'
import { Debug, Messages } from '../../device-page/tabs.ts'
import { GatewayAlarm } from './gateway-alarm.tsx'
import { lazily } from '../../ui/lazily.tsx'

const Info = lazily(async () => (await import('./networking-device-info.tsx')).NetworkingDeviceInfo)
// Most come for it, and it comes with the page when somebody points at a link to it.
Info.fetch()

/** A gateway, repeater or extender: what its silence means, and who speaks through it. */
export const NetworkingDevicePage = () => (
  <DevicePage
    listing="NetworkingDevices"
    icon={<IconRouter size={22} stroke={1.7} />}
    alarm={GatewayAlarm}
    tabs={{ info: { component: Info }, debug: { component: Debug }, messages: { component: Messages } }}
  />
)
