import { useMemo } from 'react'
import type { NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { DeviceCharts } from '../../device-page/device-charts.tsx'
import { IdentityCard, ReportedCard } from '../../device-page/identity-cards.tsx'
import { InfoColumns } from '../../device-page/info-columns.tsx'
import { LocationCard } from '../../device-page/location-card.tsx'
import { RejectedNotice } from '../../device-page/rejected-messages.tsx'
import { ConnectedDevicesCard } from './connected-devices-card.tsx'
import { useDeviceAnswers } from '../../device-page/use-device-charts.ts'
import { shownUntil } from '../../telemetry/drawn.ts'
import { spanText } from '../../ui/age.ts'
import type { Shade } from '../../ui/chart/readings.ts'
import { LinkCard } from './link-card.tsx'
import { LinkStrip } from './link-strip.tsx'
import { TestsCard } from './tests-card.tsx'

/** The current silence, shaded in the charts. */
function useSilence(device: NetworkingDevice): Shade[] | undefined {
  const { connectionStatus, lastHeard } = device
  const { answers } = useDeviceAnswers(device)
  const shownTo = answers[0] && shownUntil(answers[0]).to
  // In whole minutes, so that the shading is stable while charts receive readings.
  const to = shownTo && Math.floor(shownTo / 60_000) * 60_000
  return useMemo(() => {
    if (connectionStatus !== connectionStates.offline || lastHeard === null || to === undefined) return undefined
    const [since, until] = [Date.parse(lastHeard), to]
    return [{ from: since, to: until, label: `Silent for ${spanText(since, until)}` }]
  }, [connectionStatus, lastHeard, to])
}

export function NetworkingDeviceInfo({ device }: { device: NetworkingDevice }) {
  return (
    <InfoColumns
      device={device}
      side={
        <>
          <LinkCard device={device} />
          <IdentityCard device={device} />
          <LocationCard device={device} />
          <ReportedCard device={device} />
        </>
      }
      more={
        <>
          <DeviceCharts device={device} shades={useSilence(device)} />
          <LinkStrip device={device} />
          <TestsCard device={device} />
        </>
      }
    >
      <RejectedNotice device={device} />
      <ConnectedDevicesCard device={device} />
    </InfoColumns>
  )
}
