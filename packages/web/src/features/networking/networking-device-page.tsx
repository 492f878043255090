import { IconRouter } from '../../icons/index.ts'
import { DevicePage } from '../../device-page/device-page.tsx'
import { Debug, Messages } from '../../device-page/tabs.ts'
import { GatewayAlarm } from './gateway-alarm.tsx'
import { lazily } from '../../ui/lazily.tsx'

const Info = lazily(async () => (await import('./networking-device-info.tsx')).NetworkingDeviceInfo)
// The default tab, prefetched when a link to the page is hovered.
Info.fetch()

/** A gateway, repeater or extender: the effect of its silence, and its connected devices. */
export const NetworkingDevicePage = () => (
  <DevicePage
    listing="NetworkingDevices"
    icon={<IconRouter size={22} stroke={1.7} />}
    alarm={GatewayAlarm}
    tabs={{ info: { component: Info }, debug: { component: Debug }, messages: { component: Messages } }}
  />
)
