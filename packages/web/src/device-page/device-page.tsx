import type { ComponentType, ReactNode } from 'react'
import { Suspense } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { IconBuilding, IconDoor, IconStairs } from '@tabler/icons-react'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { DeviceTab } from '@caretaker/rules/devices/tabs.ts'
import { deviceTabLabels, developerTabs, deviceTabs, seesTab, tabsOf } from '@caretaker/rules/devices/tabs.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { HeaderActions } from '../actions/header-actions.tsx'
import { targetOfDevice } from '../actions/target.ts'
import { usePresence } from '../api/actor.ts'
import type { DevicesOf } from '../api/device.ts'
import { deviceQuery } from '../api/device.ts'
import { lastListing } from '../api/last-listing.ts'
import { usePageTitle } from '../api/page-title.ts'
import { Connection } from '../ui/connection.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../ui/states.tsx'
import { StatusChip } from '../ui/status-chip.tsx'
import { useDeviceUpdates } from './queries.ts'
import classes from './device.module.css'

/** What a tab shows, and the number on it where it changes what one does. */
export interface TabContent<D extends Device> {
  component: ComponentType<{ device: D }>
  count?: (device: D) => { count: number; worry?: boolean | 'near' } | undefined
}

/** What a kind of devices brings to the page that all of them share. */
export interface DevicePageProps<L extends DetailListing> {
  listing: L
  icon: ReactNode
  /** A kind owes a content for each tab that its page has. */
  tabs: Record<DeviceTab<L>, TabContent<DevicesOf[L]>>
  /** What is wrong with the device, first thing below the tabs; on others than the first it is told in one line. */
  alarm?: ComponentType<{ device: DevicesOf[L]; brief: boolean }>
  /** Buttons of the kind beside those of all devices. */
  actions?: ComponentType<{ device: DevicesOf[L] }>
}

interface WayBack {
  href: string
  label: string
}

/** One device: what, where and how it is, and its tabs, each with an address of its own. */
export function DevicePage<L extends DetailListing>(kind: DevicePageProps<L>) {
  const { listing } = kind
  const { actor, client } = usePresence()
  const { deviceId = '', tab } = useParams({ strict: false })
  const { data: device, error, refetch } = useQuery(deviceQuery(actor.tenant, listing, deviceId))
  useDeviceUpdates(actor.tenant, deviceId, device !== undefined && !error)
  usePageTitle(device ? nameOf(device) : listings[listing].label, client.displayName)
  const back = { href: lastListing(actor.tenant, listing), label: listings[listing].label }
  const status = error instanceof CallError ? error.status : undefined
  const active = tabNamed(listing, tab)

  if (status === 404 || status === 400) return <NotFound back={back} hint="There is no such device here." />
  if (status === 403) return <Refused back={back} />
  if (!active) return <NotFound back={back} hint="A device has no such page." />
  if (device) return <DeviceView key={deviceId} kind={kind} device={device} active={active} back={back} />
  return (
    <>
      <PageHead back={back} title={error ? listings[listing].label : <Bar width="22rem" height="2rem" />} />
      {error ? <Failed onRetry={() => void refetch()} /> : <LoadingTab />}
    </>
  )
}

/** The tab that an address names, whatever its letter case; the first where it names none. */
function tabNamed<L extends DetailListing>(listing: L, name: string | undefined): DeviceTab<L> | undefined {
  const tabs: readonly DeviceTab<L>[] = deviceTabs[listing]
  if (name === undefined) return tabs[0]
  return tabs.find((tab) => tab.toLowerCase() === name.toLowerCase())
}

function nameOf(device: Device): string {
  return device.deviceName || device.serialNumber
}

function LoadingTab() {
  return (
    <div className={classes.tab}>
      <Loading label="Loading the device">
        <LoadingLines lines={6} />
      </Loading>
    </div>
  )
}

interface DeviceViewProps<L extends DetailListing> {
  kind: DevicePageProps<L>
  device: DevicesOf[L]
  active: DeviceTab<L>
  back: WayBack
}

function DeviceView<L extends DetailListing>({ kind, device, active, back }: DeviceViewProps<L>) {
  const { listing, icon, tabs, alarm: Alarm, actions: Actions } = kind
  const { actor } = usePresence()
  const subject = targetOfDevice(device)
  const [first] = deviceTabs[listing]
  const shown = tabsOf(listing, actor, subject)
  const { component: Content } = tabs[active]
  return (
    <>
      <PageHead
        back={back}
        icon={icon}
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
            {Actions && <Actions device={device} />}
          </>
        }
        tabs={shown.map((tab) => ({
          id: tab,
          label: deviceTabLabels[tab],
          href: `${pathTo(actor.tenant, listing, device.deviceId)}${tab === first ? '' : `/${tab}`}`,
          developer: developerTabs.includes(tab),
          ...tabs[tab].count?.(device),
        }))}
        activeTab={active}
      />
      <div className={classes.tab}>
        {Alarm && <Alarm device={device} brief={active !== first} />}
        {seesTab(actor, subject, active) ? (
          <Suspense fallback={<Loading label={`Loading ${deviceTabLabels[active]}`} />}>
            <Content device={device} />
          </Suspense>
        ) : (
          <Refused back={back} />
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
