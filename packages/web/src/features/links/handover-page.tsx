import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import { IconPackage } from '../../icons/index.ts'
import type { HandoverDevice } from '@caretaker/contract/links.ts'
import type { HandoverStep } from '@caretaker/rules/links/handover.ts'
import {
  connectedInstallPath,
  connectedKindOf,
  installAreaOf,
  installPath,
  movePath,
  powerClampsIn,
  whyNot,
} from '@caretaker/rules/links/handover.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import type { PlaceArea } from '@caretaker/rules/links/places.ts'
import type { ListingName } from '@caretaker/rules/devices/list.ts'
import { listingOf, listings } from '@caretaker/rules/devices/list.ts'
import { useActor, usePresence } from '../../api/actor.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { lastListing } from '../../api/last-listing.ts'
import { usePageTitle } from '../../api/page-title.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Bar, Failed, Loading, LoadingLines, NotFound, Refused } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { OpenInApp } from './open-in-app.tsx'
import { handoverQuery } from './queries.ts'
import classes from './handover.module.css'

export function MoveFromWholesalePage() {
  const { tenant } = useActor()
  const { serialNumber = '' } = useParams({ strict: false })
  return <HandoverPage step="claim" path={() => movePath(tenant, serialNumber)} />
}

export const EmeredInstallPage = () => <InstallPage area="EmeredInstall" listing="EmergencyLights" />
export const BcmInstallPage = () => <InstallPage area="BcmInstall" listing="Boilers" />
export const NetworkInstallPage = () => <InstallPage area="NetworkInstall" listing="NetworkingDevices" />

function InstallPage({ area, listing }: { area: PlaceArea; listing: ListingName }) {
  const { tenant } = useActor()
  const fits = (device: HandoverDevice) =>
    installAreaOf(device.productId) === area ? installPath(tenant, { ...device, product: device.productId }) : undefined
  return <HandoverPage step="install" listing={listing} path={fits} />
}

export function ConnectedDeviceInstallPage() {
  const { tenant } = useActor()
  const { deviceKind, bcmOrGatewayId = '' } = useParams({ strict: false })
  const search = useLocation({ select: (location) => location.searchStr })
  const query = Object.fromEntries(new URLSearchParams(search))
  const { location, locationDetails } = query
  const powerClamps = powerClampsIn(query)
  const fits = (device: HandoverDevice) => {
    const kind = connectedKindOf(device.productId)
    if (kind === undefined || kind !== deviceKind) return undefined
    const { serialNumber, deviceId } = device
    return connectedInstallPath(tenant, {
      deviceKind: kind,
      bcmOrGatewayId,
      serialNumber,
      deviceId,
      location,
      locationDetails,
      powerClamps,
    })
  }
  return (
    <HandoverPage step="install" listing="Boilers" path={fits}>
      {location && <Row label="Location">{location}</Row>}
      {locationDetails && <Row label="Location details">{locationDetails}</Row>}
      {Object.entries(powerClamps).map(([clamp, what]) => (
        <Row key={clamp} label={`Power clamp ${clamp}`}>
          {what}
        </Row>
      ))}
    </HandoverPage>
  )
}

interface HandoverPageProps {
  step: HandoverStep
  /** The listing to return to; by default the device's. */
  listing?: ListingName
  /** The path of this page for the device, or undefined if the device does not belong here. */
  path: (device: HandoverDevice) => string | undefined
  /** The known details of the future place. */
  children?: ReactNode
}

/** Hands a device over to the mobile app, where it is claimed or installed; the portal does neither. */
function HandoverPage({ step, listing, path, children }: HandoverPageProps) {
  const { actor, client } = usePresence()
  const { serialNumber = '', deviceId, bcmOrGatewayId } = useParams({ strict: false })
  const { data: device, error, refetch } = useQuery(handoverQuery(actor.tenant, serialNumber, bcmOrGatewayId))
  const name = device && (device.deviceName || device.serialNumber)
  usePageTitle(name ?? serialNumber, client.displayName)
  const back = useWayBack(listing ?? (device && listingOf(device.productId)))
  const status = error instanceof CallError ? error.status : undefined
  const here = device && isMeant(device, deviceId) ? path(device) : undefined

  if (status === 403 || device?.userHasReadOnlyAccess) return <Refused back={back} />
  if (status === 404 || status === 400 || (device && here === undefined))
    return <NotFound back={back} hint="Device not found." />
  if (device && here !== undefined)
    return (
      <>
        <PageHead
          back={back}
          icon={<IconPackage size={22} stroke={1.7} />}
          title={name}
          chips={<StatusChip status={device.deviceStatus} exact />}
          place={
            <>
              <span className={classes.serial}>{device.serialNumber}</span>
              {device.inWholesale && <span>In wholesale</span>}
            </>
          }
        />
        <div className={classes.page}>
          <StepCard step={step} device={device} path={here} />
          <DeviceCard device={device}>{children}</DeviceCard>
        </div>
      </>
    )
  return (
    <>
      <PageHead back={back} title={error ? serialNumber : <Bar width="22rem" height="2rem" />} />
      {error ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <div className={classes.page}>
          <Loading label="Loading the device">
            <LoadingLines lines={6} />
          </Loading>
        </div>
      )}
    </>
  )
}

/** Whether the serial number and the id in the address belong to the same device. */
function isMeant(device: HandoverDevice, deviceId: string | undefined): boolean {
  return deviceId === undefined || device.deviceId === deviceId.toLowerCase()
}

function useWayBack(listing: ListingName | undefined) {
  const actor = useActor()
  return listing && can(actor, listings[listing].may)
    ? { href: lastListing(actor.tenant, listing), label: listings[listing].label }
    : { href: pathTo(actor.tenant, 'Dashboard'), label: 'Dashboard' }
}

function StepCard({ step, device, path }: { step: HandoverStep; device: HandoverDevice; path: string }) {
  const { actor, client } = usePresence()
  const because = whyNot(step, { status: device.deviceStatus, inWholesale: device.inWholesale })
  const listing = listingOf(device.productId)
  const nextLink =
    because === 'in wholesale'
      ? { href: movePath(actor.tenant, device.serialNumber), label: 'Move it from wholesale' }
      : listing && { href: pathTo(actor.tenant, listing, device.deviceId), label: 'Open its page' }
  return (
    <Card title={step === 'claim' ? `Move to ${client.displayName}` : 'Install'}>
      {because === undefined ? (
        <>
          <p className={classes.text}>
            {step === 'claim'
              ? `This device is in wholesale. The mobile app moves it to ${client.displayName}, where it can be installed.`
              : 'Install devices on site with the mobile app, which guides you through the steps.'}
          </p>
          <OpenInApp path={path} serialNumber={device.serialNumber} />
        </>
      ) : (
        <p className={classes.text}>
          {
            {
              'not in wholesale': `This device is not in wholesale: it is with ${client.displayName} already.`,
              'in wholesale': `This device is in wholesale. Before it is installed, it moves to ${client.displayName}.`,
              installed: 'This device is installed.',
            }[because]
          }{' '}
          {nextLink && <AppLink href={nextLink.href}>{nextLink.label}</AppLink>}
        </p>
      )}
    </Card>
  )
}

function DeviceCard({ device, children }: { device: HandoverDevice; children: ReactNode }) {
  const { bcmOrGateway } = device
  return (
    <Card title="Device">
      <dl className={classes.rows}>
        <Row label="Serial number">
          <span className={classes.serial}>{device.serialNumber}</span>
        </Row>
        <Row label="Product">{device.deviceType}</Row>
        {bcmOrGateway && (
          <Row label="Connects to">
            {bcmOrGateway.deviceName} <span className={classes.serial}>{bcmOrGateway.serialNumber}</span>
          </Row>
        )}
        {children}
      </dl>
    </Card>
  )
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}
