import type { CSSProperties } from 'react'
import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import type { ChildDevice, NetworkingDevice } from '@caretaker/contract/devices.ts'
import { connectionStates } from '@caretaker/rules/devices/connection.ts'
import { detailListingOf } from '@caretaker/rules/devices/list.ts'
import { displayGroup, statusText } from '@caretaker/rules/devices/status.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Connection } from '../../ui/connection.tsx'
import { AppLink } from '../../ui/link.tsx'
import { Empty } from '../../ui/states.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { StatusIcon, toneOfGroup } from '../../ui/status-icon.tsx'
import { silentChildren } from './gateway-alarm.tsx'
import classes from './networking.module.css'

/** The largest number of children shown as a tree; more are grouped by floor. */
const treeSize = 12

/** The devices connected through a gateway or extender: a tree if few, grouped by floor if many, or a table. */
export function ConnectedDevicesCard({ device }: { device: NetworkingDevice }) {
  const { children, childCount } = device
  const picture = children.length > treeSize ? 'Floors' : 'Tree'
  const [shown, setShown] = useState<'picture' | 'Table'>('picture')
  if (childCount === 0)
    return (
      <Card title="Connected devices">
        <Empty text="No devices are connected through this one." />
      </Card>
    )
  const silent = silentChildren(device)
  return (
    <Card
      title="Connected devices"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Connected devices as"
          value={shown}
          onChange={(next) => setShown(next as typeof shown)}
          data={[
            { value: 'picture', label: picture },
            { value: 'Table', label: 'Table' },
          ]}
        />
      }
      footer={
        <span className={classes.summary}>
          {device.connectionStatus === connectionStates.offline
            ? `${silent} of ${children.length} without contact since`
            : `${children.filter((child) => child.connectionStatus === connectionStates.online).length} of ${children.length} connected`}
          {childCount > children.length && `, the first ${children.length} of ${childCount.toLocaleString('en-GB')}`}
        </span>
      }
    >
      {shown === 'Table' ? (
        <ChildrenTable items={children} />
      ) : picture === 'Tree' ? (
        <Tree device={device} />
      ) : (
        <Floors items={children} />
      )}
    </Card>
  )
}

const nameOf = (child: ChildDevice) => child.deviceName || child.serialNumber
const isSilent = (child: Pick<ChildDevice, 'connectionStatus'>) => child.connectionStatus !== connectionStates.online

function ChildLink({ child, children }: { child: ChildDevice; children?: React.ReactNode }) {
  const { tenant } = useActor()
  const listing = detailListingOf(child.productId)
  const text = children ?? nameOf(child)
  return listing ? <AppLink href={pathTo(tenant, listing, child.deviceId)}>{text}</AppLink> : <span>{text}</span>
}

/** The status as an icon with a screen reader text. */
function Mark({ child }: { child: ChildDevice }) {
  const group = displayGroup(child.deviceStatus)
  return (
    <span className={classes.mark} title={statusText(child.deviceStatus)}>
      <StatusIcon tone={group ? toneOfGroup[group] : 'not-installed'} size={20} />
    </span>
  )
}

/** The details of a child that its name does not contain. */
function Words({ child }: { child: ChildDevice }) {
  return (
    <span className="visually-hidden">
      , {statusText(child.deviceStatus)}, {isSilent(child) ? 'not connected' : 'connected'}
    </span>
  )
}

function Tree({ device }: { device: NetworkingDevice }) {
  const { children } = device
  const count = children.length
  return (
    <div className={classes.tree} style={{ '--children': count } as CSSProperties}>
      <span className={classes.root} data-silent={isSilent(device) || undefined}>
        {device.deviceName || device.serialNumber}
      </span>
      <svg className={classes.branches} viewBox={`0 0 ${count} 1`} preserveAspectRatio="none" aria-hidden>
        {children.map((child, index) => (
          <path
            key={child.deviceId}
            d={`M${count / 2} 0C${count / 2} 0.7 ${index + 0.5} 0.3 ${index + 0.5} 1`}
            data-silent={isSilent(child) || undefined}
          />
        ))}
      </svg>
      <ul className={classes.leaves}>
        {children.map((child) => (
          <li key={child.deviceId} data-silent={isSilent(child) || undefined}>
            <Mark child={child} />
            <ChildLink child={child}>
              {nameOf(child)}
              <Words child={child} />
            </ChildLink>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Floors from the top, each with its devices. */
function Floors({ items }: { items: readonly ChildDevice[] }) {
  const floors = [...Map.groupBy(items, ({ floor }) => floor)].toSorted(
    ([a], [b]) => (b ?? -Infinity) - (a ?? -Infinity),
  )
  return (
    <dl className={classes.floors}>
      {floors.map(([floor, children]) => (
        <div key={floor}>
          <dt>
            {children[0]!.floorName ?? 'No floor'}
            <span>{children.length}</span>
          </dt>
          <dd>
            <ul>
              {children.map((child) => (
                <li key={child.deviceId} data-silent={isSilent(child) || undefined}>
                  <Mark child={child} />
                  <ChildLink child={child}>
                    {nameOf(child)}
                    <Words child={child} />
                  </ChildLink>
                </li>
              ))}
            </ul>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function ChildrenTable({ items }: { items: readonly ChildDevice[] }) {
  return (
    <div className={classes.scroll} role="region" aria-label="Connected devices" tabIndex={0}>
      <table className={classes.table} aria-label="Connected devices">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Serial</th>
            <th scope="col">Status</th>
            <th scope="col">Connection</th>
            <th scope="col">Floor</th>
            <th scope="col">Room</th>
          </tr>
        </thead>
        <tbody>
          {items.map((child) => (
            <tr key={child.deviceId}>
              <th scope="row">
                <ChildLink child={child} />
              </th>
              <td>{child.serialNumber}</td>
              <td>
                <StatusChip status={child.deviceStatus} brief />
              </td>
              <td>
                <Connection state={child.connectionStatus} heardAt={child.lastHeard} />
              </td>
              <td>{child.floorName}</td>
              <td>{child.room}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
