import type { ComponentType, ReactNode } from 'react'
import { useEffect } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Button } from '@mantine/core'
import { IconBuilding, IconDoor, IconHome, IconMapPin, IconStairs } from '../icons/index.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import type { DetailListing } from '@caretaker/rules/devices/list.ts'
import { listings } from '@caretaker/rules/devices/list.ts'
import type { DeviceTab } from '@caretaker/rules/devices/tabs.ts'
import { deviceTabLabels, developerTabs, deviceTabs, seesTab, tabsOf } from '@caretaker/rules/devices/tabs.ts'
import { isRestricted } from '@caretaker/rules/devices/rights.ts'
import { hidesPersonalData } from '@caretaker/rules/identity/actor.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { HeaderActions } from '../actions/header-actions.tsx'
import { targetOfDevice } from '../actions/target.ts'
import { usePresence } from '../api/actor.ts'
import { useWatchedDevices } from '../api/changes.ts'
import type { DevicesOf } from '../api/device.ts'
import { deviceQuery, othersShown } from '../api/device.ts'
import { lastListing } from '../api/last-listing.ts'
import { usePageTitle } from '../api/page-title.ts'
import { Connection } from '../ui/connection.tsx'
import type { Lazily } from '../ui/lazily.tsx'
import { AppLink, isPlainClick, useGoTo } from '../ui/link.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../ui/states.tsx'
import { StatusChip } from '../ui/status-chip.tsx'
import { showWarning } from '../ui/toasts.tsx'
import { useDeviceUpdates } from './queries.ts'
import classes from './device.module.css'

/** The content of a tab, and the number on it if it matters. */
export interface TabContent<D extends Device> {
  component: Lazily<{ device: D }>
  count?: (device: D) => TabCount | undefined
}

export interface TabCount {
  count: number
  /** `near` for something due soon. */
  worry?: boolean | 'near'
}

/** A count for a tab; undefined for zero. */
export const countOf = (count: number | undefined, worry = false): TabCount | undefined =>
  count ? { count, worry } : undefined

/** The parts of a device page that depend on the kind of device. */
export interface DevicePageProps<L extends DetailListing> {
  listing: L
  icon: ReactNode
  /** One component per tab of the page. */
  tabs: Record<DeviceTab<L>, TabContent<DevicesOf[L]>>
  /** The alarm below the tabs; in one line on tabs other than the first. */
  alarm?: ComponentType<{ device: DevicesOf[L]; brief: boolean }>
  /** Buttons in addition to those of all devices. */
  actions?: ComponentType<{ device: DevicesOf[L] }>
}

interface BackLink {
  href: string
  label: string
}

/** One device: header, status, place and tabs, each with its own address. */
export function DevicePage<L extends DetailListing>(kind: DevicePageProps<L>) {
  const { listing } = kind
  const { actor, client } = usePresence()
  const { deviceId = '', tab } = useParams({ strict: false })
  const { data: device, error, refetch } = useQuery(deviceQuery(actor.tenant, listing, deviceId))
  useDeviceUpdates(actor.tenant, deviceId, device !== undefined && !error)
  useWatchedDevices(device && !error ? othersShown(device) : [])
  usePageTitle(device ? nameOf(device) : listings[listing].label, client.displayName)
  const back = { href: lastListing(actor.tenant, listing), label: listings[listing].label }
  const status = error instanceof CallError ? error.status : undefined
  const active = tabNamed(listing, tab)
  const isUnknown = status === 404 || status === 400
  const failed = error !== null && !device && !isUnknown && status !== 403
  // The code of the tab is fetched in parallel with the device.
  const content = active && kind.tabs[active].component
  useEffect(() => content?.fetch(), [content])
  useEffect(() => {
    if (failed) showWarning('Failed to load device information!')
  }, [failed])

  if (isUnknown) return <NotFound back={back} hint="Device not found." />
  if (status === 403) return <Refused back={back} />
  if (!active) return <NotFound back={back} hint="This page does not exist." />
  if (device) return <DeviceView key={deviceId} kind={kind} device={device} active={active} back={back} />
  return (
    <>
      <PageHead back={back} title={error ? listings[listing].label : <Bar width="22rem" height="2rem" />} />
      {error ? (
        <div className={classes.tab}>
          <Failed onRetry={() => void refetch()} />
        </div>
      ) : (
        <LoadingTab />
      )}
    </>
  )
}

/** The tab that an address names, ignoring case; the first if it names none. */
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
  back: BackLink
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
            <GoToMap device={device} />
            {Actions && <Actions device={device} />}
            <HeaderActions device={device} />
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
          <Content key={active} device={device} fallback={<Loading label={`Loading ${deviceTabLabels[active]}`} />} />
        ) : (
          <Refused back={back} />
        )}
      </div>
    </>
  )
}

/** The serial number; building, floor and room if set; the link to its property in property-centred clients. */
function Places({ device }: { device: Device }) {
  const { actor } = usePresence()
  const { tenant, features } = actor
  const property = features.includes('PropertyCentric') && device.propertyId
  const isHidden = hidesPersonalData(actor)
  const place: { part: string; icon?: typeof IconBuilding; text: string | null; href?: string | undefined }[] = (
    device.buildingName
      ? [
          {
            part: 'building',
            icon: IconBuilding,
            text: device.buildingName,
            href:
              device.buildingId !== null && can(actor, 'see buildings')
                ? pathTo(tenant, 'Buildings', device.buildingId)
                : undefined,
          },
          { part: 'address', text: isHidden ? null : device.address },
          { part: 'floor', icon: IconStairs, text: device.floorName },
          { part: 'room', icon: IconDoor, text: device.room },
        ]
      : [{ part: 'address', text: isHidden ? null : device.address }]
  ).filter(({ text }) => text)
  return (
    <>
      <span className={classes.serial}>{device.serialNumber}</span>
      {property && (
        <AppLink href={pathTo(tenant, 'Properties', property, 'info')}>
          <IconHome stroke={1.7} aria-hidden />
          Navigate to property page
        </AppLink>
      )}
      {place.map(({ part, icon: Icon, text, href }) => {
        const shown = (
          <>
            {Icon && <Icon stroke={1.7} aria-hidden />}
            {text}
          </>
        )
        return href === undefined ? (
          <span key={part}>{shown}</span>
        ) : (
          <AppLink key={part} href={href}>
            {shown}
          </AppLink>
        )
      })}
    </>
  )
}

/** The device of the page; undefined until it is loaded. */
export function useDevice<L extends DetailListing>(listing: L): DevicesOf[L] | undefined {
  const { actor } = usePresence()
  const { deviceId = '' } = useParams({ strict: false })
  return useQuery(deviceQuery(actor.tenant, listing, deviceId)).data
}

/** A link to the map with the device selected, if it has a place there. */
function GoToMap({ device }: { device: Device }) {
  const { actor } = usePresence()
  const goTo = useGoTo()
  const isOnMap = device.lat !== null && device.long !== null && !isRestricted(targetOfDevice(device))
  if (!isOnMap || !can(actor, 'see maps')) return undefined
  const href = `${pathTo(actor.tenant, 'FloorPlan')}?deviceId=${device.deviceId}`
  return (
    <Button
      variant="default"
      component="a"
      href={href}
      leftSection={<IconMapPin size={18} stroke={1.7} aria-hidden />}
      onClick={(event) => {
        if (!isPlainClick(event)) return
        event.preventDefault()
        goTo(href)
      }}
    >
      Go To Map
    </Button>
  )
}
