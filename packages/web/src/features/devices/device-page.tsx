import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { IconBuilding, IconBulb, IconDoor, IconFlame, IconRouter, IconStairs } from '@tabler/icons-react'
import type { Device } from '@caretaker/contract/devices.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import { HeaderActions } from '../../actions/header-actions.tsx'
import { targetOfDevice } from '../../actions/target.ts'
import { usePresence } from '../../api/actor.ts'
import { deviceQuery } from '../../api/device.ts'
import { lastListing } from '../../api/last-listing.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Connection } from '../../ui/connection.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Conditions } from './conditions.tsx'
import { DeviceCharts } from './device-charts.tsx'
import { DeviceCommands } from './device-commands.tsx'
import { FlickTestButton } from './flick-test.tsx'
import { IdentityCard, LocationCard, ReportedCard } from './identity-cards.tsx'
import { NotTaken } from './not-taken.tsx'
import { useDeviceUpdates } from './queries.ts'
import { TestResults } from './test-results.tsx'
import classes from './device.module.css'

export const EmergencyLightPage = () => <DevicePage listing="EmergencyLights" />
export const BoilerPage = () => <DevicePage listing="Boilers" />
export const NetworkingDevicePage = () => <DevicePage listing="NetworkingDevices" />

interface WayBack {
  href: string
  label: string
}

/** One device: what and where it is, how it is, and what it measured in the last week. */
function DevicePage({ listing }: { listing: DetailListing }) {
  const { actor, client } = usePresence()
  const { deviceId = '' } = useParams({ strict: false })
  const { data: device, error, refetch } = useQuery(deviceQuery(actor.tenant, listing, deviceId))
  useDeviceUpdates(actor.tenant, deviceId, device !== undefined && !error)
  usePageTitle(device ? nameOf(device) : listings[listing].label, client.displayName)
  const back = { href: lastListing(actor.tenant, listing), label: listings[listing].label }
  const status = error instanceof CallError ? error.status : undefined

  if (status === 404 || status === 400) return <NotFound back={back} hint="There is no such device here." />
  if (status === 403) return <Refused back={back} />
  if (device) return <DeviceView key={deviceId} device={device} listing={listing} back={back} />
  return (
    <>
      <PageHead back={back} title={error ? listings[listing].label : <Bar width="22rem" height="2rem" />} />
      {error ? <Failed onRetry={() => void refetch()} /> : <LoadingCards />}
    </>
  )
}

function nameOf(device: Device): string {
  return device.deviceName || device.serialNumber
}

function LoadingCards() {
  return (
    <div className={classes.page}>
      <Loading label="Loading the device">
        <LoadingLines lines={6} />
      </Loading>
    </div>
  )
}

const icons = { EmergencyLights: IconBulb, Boilers: IconFlame, NetworkingDevices: IconRouter }

function DeviceView({ device, listing, back }: { device: Device; listing: DetailListing; back: WayBack }) {
  const { actor } = usePresence()
  const { deviceId, productId } = device
  const isLight = listing === 'EmergencyLights'
  const mayTest = isLight && can(actor, 'flick test', targetOfDevice(device))
  const Icon = icons[listing]
  return (
    <>
      <PageHead
        back={back}
        icon={<Icon size={22} stroke={1.7} />}
        title={nameOf(device)}
        chips={
          <>
            <StatusChip status={device.deviceStatus} exact />
            <Connection state={device.connectionStatus} heardAt={device.lastHeard} />
          </>
        }
        place={<Places device={device} />}
        actions={
          <>
            <HeaderActions device={device} />
            {mayTest && <FlickTestButton tenant={actor.tenant} deviceId={deviceId} />}
          </>
        }
      />
      <div className={classes.page}>
        <div className={classes.top}>
          <Conditions device={device} />
          <DeviceCommands device={device} />
        </div>
        <div className={classes.charts}>
          <NotTaken device={device} />
          <DeviceCharts tenant={actor.tenant} deviceId={deviceId} product={productId} />
        </div>
        <div className={classes.side}>
          <IdentityCard device={device} />
          <LocationCard device={device} listing={listing} />
          <ReportedCard device={device} />
        </div>
        {isLight && (
          <div className={classes.more}>
            <TestResults tenant={actor.tenant} deviceId={deviceId} />
          </div>
        )}
      </div>
    </>
  )
}

/** Serial, and building, floor and room where a building is set. */
function Places({ device }: { device: Device }) {
  const place = device.buildingName
    ? [
        { icon: IconBuilding, text: device.buildingName },
        { icon: IconStairs, text: device.floorName },
        { icon: IconDoor, text: device.room },
      ]
    : []
  return (
    <>
      <span className={classes.serial}>{device.serialNumber}</span>
      {place.map(
        ({ icon: Icon, text }) =>
          text && (
            <span key={text}>
              <Icon stroke={1.7} aria-hidden />
              {text}
            </span>
          ),
      )}
    </>
  )
}
