import { useState } from 'react'
import { ActionIcon, Button, Menu, NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { IconArchive, IconArchiveOff, IconArrowsMove, IconDots, IconEye } from '../../../icons/index.ts'
import { getTenantBuildings } from '@caretaker/contract/calls/buildings.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { archiveProperty, bringBackProperty, moveProperty } from '@caretaker/contract/calls/properties.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { AlarmPanel } from '../../../ui/alarm-panel.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { lazily } from '../../../ui/lazily.tsx'
import { TimeOf } from '../../../ui/zone.tsx'
import { usePropertyEdit } from '../queries.ts'
import classes from './estate.module.css'

// Opened rarely.
const DataViews = lazily(async () => (await import('../../../reads/data-views.tsx')).DataViews)

const outcome = (done: Promise<void>): Promise<true | readonly string[]> =>
  done.then(
    () => true as const,
    (error: Error) => [error.message],
  )

/** Actions of a property: its log of views, moving and archiving, each if permitted. */
export function HomeActions({ property }: { property: Property }) {
  const actor = useActor()
  const [open, setOpen] = useState<'move' | 'archive' | 'looked'>()
  const close = () => setOpen(undefined)
  const mayManage = can(actor, 'manage properties') && !property.archivedAt
  const maySeeReads = can(actor, 'see reads of personal data')
  if (!mayManage && !maySeeReads) return undefined
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label="Actions of this property" title="Actions">
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayManage && (
            <>
              <Menu.Item leftSection={<IconArrowsMove size={16} aria-hidden />} onClick={() => setOpen('move')}>
                Move to another building
              </Menu.Item>
              <Menu.Item leftSection={<IconArchive size={16} aria-hidden />} onClick={() => setOpen('archive')}>
                Archive
              </Menu.Item>
            </>
          )}
          {maySeeReads && (
            <Menu.Item leftSection={<IconEye size={16} aria-hidden />} onClick={() => setOpen('looked')}>
              Views of personal data
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'archive' && <ArchiveDialog property={property} onClose={close} />}
      {open === 'move' && <MoveDialog property={property} onClose={close} />}
      {open === 'looked' && (
        <DataViews
          title={`Views of the personal data of ${property.propertyReference || 'this property'}`}
          about={{ propertyId: property.propertyId }}
          onClose={close}
        />
      )}
    </>
  )
}

interface DialogProps {
  property: Property
  onClose: () => void
}

function ArchiveDialog({ property, onClose }: DialogProps) {
  const { tenant } = useActor()
  const { propertyId, version } = property
  const { edit } = usePropertyEdit(property)
  return (
    <ConfirmDialog
      title="Archive this property"
      verb="Archive"
      onConfirm={() => outcome(edit(call(archiveProperty, { params: { tenant, propertyId }, body: { version } })))}
      onClose={onClose}
    >
      <p>
        The property is removed from lists and counts. Its records are kept, and you can restore it from 'Archived
        properties' next to the list.
      </p>
    </ConfirmDialog>
  )
}

function MoveDialog({ property, onClose }: DialogProps) {
  const { tenant } = useActor()
  const { propertyId, version, deviceCount, building: now } = property
  const { edit } = usePropertyEdit(property)
  const { data: buildings } = useQuery({
    queryKey: [tenant, 'buildings', 'choices'],
    queryFn: ({ signal }) => call(getTenantBuildings, { body: { tenant } }, { signal }),
  })
  const [buildingId, setBuilding] = useState(now?.id ?? '')
  const [floorId, setFloor] = useState(now?.floorId ?? '')
  const floors = buildings?.find(({ building }) => building === buildingId)?.floors ?? []
  const body = { buildingId: buildingId || null, floorId: floorId || null, version }
  return (
    <ConfirmDialog
      title="Move to another building"
      verb="Move"
      onConfirm={() => outcome(edit(call(moveProperty, { params: { tenant, propertyId }, body })))}
      onClose={onClose}
    >
      <div className={classes.form}>
        <NativeSelect
          label="Building"
          value={buildingId}
          onChange={(event) => {
            setBuilding(event.currentTarget.value)
            setFloor('')
          }}
          data={[
            { value: '', label: 'None (standalone property)' },
            ...(buildings ?? []).map(({ building, name }) => ({ value: building, label: name })),
          ]}
        />
        {floors.length > 0 && (
          <NativeSelect
            label="Floor"
            value={floorId}
            onChange={(event) => setFloor(event.currentTarget.value)}
            data={[
              { value: '', label: 'Not specified' },
              ...floors.map(({ floor, name }) => ({ value: floor, label: name })),
            ]}
          />
        )}
        <p className={classes.hint}>
          {deviceCount > 0 &&
            `${deviceCount === 1 ? 'The device' : `All ${deviceCount} devices`} of this property will move there and lose their places on the floor plan. `}
          Devices added to the property later get the same place unless you set their own. To change the address, use
          the pencil next to the postcode.
        </p>
      </div>
    </ConfirmDialog>
  )
}

/** A notice that a property is archived, since when, with a button to restore it. */
export function ArchivedNote({ property }: { property: Property }) {
  const actor = useActor()
  const { tenant } = actor
  const { propertyId, version, archivedAt } = property
  const { edit } = usePropertyEdit(property)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  if (!archivedAt) return undefined
  const bringBack = async () => {
    setBusy(true)
    const done = await outcome(edit(call(bringBackProperty, { params: { tenant, propertyId }, body: { version } })))
    setBusy(false)
    if (done !== true) setProblem(done.join(' '))
  }
  return (
    <AlarmPanel
      tone="warning"
      title="This property is archived"
      meaning={
        <>
          Since <TimeOf at={archivedAt} />. It does not appear in lists or counts. Its records are kept.
        </>
      }
      standing={problem}
      actions={
        can(actor, 'manage properties') && (
          <Button
            variant="default"
            leftSection={<IconArchiveOff size={16} aria-hidden />}
            loading={busy}
            onClick={() => void bringBack()}
          >
            Restore
          </Button>
        )
      }
    />
  )
}
