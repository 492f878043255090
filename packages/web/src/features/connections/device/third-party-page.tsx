import { IconBroadcast } from '../../../icons/index.ts'
import { DevicePage } from '../../../device-page/device-page.tsx'
import { History, Telemetry } from '../../../device-page/tabs.ts'
import { lazily } from '../../../ui/lazily.tsx'

const Info = lazily(async () => (await import('./third-party-info.tsx')).ThirdPartyInfo)
const SensorMessages = lazily(async () => (await import('./sensor-messages.tsx')).SensorMessages)
// The default tab, prefetched when a link to the page is hovered.
Info.fetch()

/** A third-party device: its readings, its history and the messages that they come from. */
export const ThirdPartyDevicePage = () => (
  <DevicePage
    listing="ThirdParty"
    icon={<IconBroadcast size={22} stroke={1.7} />}
    tabs={{
      info: { component: Info },
      telemetry: { component: Telemetry },
      history: { component: History },
      sensorMessages: { component: SensorMessages },
    }}
  />
)
