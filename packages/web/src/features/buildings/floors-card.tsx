import { useRef, useState } from 'react'
import { ActionIcon, Button, TextInput } from '@mantine/core'
import {
  IconAlertCircle,
  IconCheck,
  IconFile,
  IconPencil,
  IconPlus,
  IconRefresh,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { CallError } from '@caretaker/contract/error-texts.ts'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { uploadFloorPlan } from '@caretaker/contract/buildings.ts'
import { buildingTexts, floorPlanSizeFault, longestFloorName, mostFloors } from '@caretaker/rules/buildings/building.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { call } from '../../api/call.ts'
import { Card } from '../../ui/card.tsx'
import { AppLink } from '../../ui/link.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { DraftFloor, Edits } from './edits.ts'
import { nameFault, withFloor, withName, withoutFloor } from './edits.ts'
import { renewBuildings } from './queries.ts'
import classes from './buildings.module.css'

interface FloorCounts {
  floor: string
  devices: number
  failed: number
  warning: number
}

interface FloorsCardProps {
  /** The id of the building; none as long as it is not saved. */
  building?: string
  stored: readonly Floor[]
  floors: readonly DraftFloor[]
  counts: readonly FloorCounts[]
  edits: Edits
  /** Not given to whoever only reads. */
  onEdits?: ((edits: Edits) => void) | undefined
  defaultKey: string | undefined
  editing: EditedFloor | undefined
  onEditing: (editing: EditedFloor | undefined) => void
}

/** The one floor whose name is being typed. */
export interface EditedFloor {
  key: string
  name: string
}

/** The floors from the lowest up: names are text until their row is edited, one at a time. */
export function FloorsCard(props: FloorsCardProps) {
  const { building, stored, floors, counts, edits, onEdits, defaultKey, editing, onEditing } = props
  const [fault, setFault] = useState<string>()
  const nextKey = useRef(0)
  const edit = (next: EditedFloor | undefined) => {
    setFault(undefined)
    onEditing(next)
  }
  /** Keeps what is being typed; says what is wrong with it, if anything. */
  const keep = (): Edits | undefined => {
    if (!editing) return edits
    const wrong = nameFault(floors, editing.key, editing.name)
    setFault(wrong)
    return wrong ? undefined : withName(stored, edits, editing.key, editing.name.trim())
  }
  const saveName = () => {
    const kept = keep()
    if (!kept) return
    onEdits?.(kept)
    edit(undefined)
  }
  const add = () => {
    const kept = keep()
    if (!kept) return
    const key = `new ${++nextKey.current}`
    const next = withFloor(stored, kept, key)
    onEdits?.(next)
    edit({ key, name: next.added.at(-1)!.name })
  }
  const begin = (floor: DraftFloor) => {
    const kept = keep()
    if (!kept) return
    onEdits?.(kept)
    edit({ key: floor.key, name: floor.name })
  }
  return (
    <Card
      title="Floors"
      className={classes.floors}
      footer={
        building &&
        onEdits && (
          <p className={classes.hint}>
            A floor plan is an SVG drawing of at most 10 MB. Once it is uploaded, position it, then place its devices.
          </p>
        )
      }
      actions={
        onEdits && (
          <Button
            variant="default"
            size="sm"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={add}
            disabled={floors.length >= mostFloors}
          >
            Add floor
          </Button>
        )
      }
    >
      <table className={classes.table} aria-label="Floors">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Floor plan</th>
            {building && (
              <th scope="col" className={classes.count}>
                Devices
              </th>
            )}
            {onEdits && (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {floors.map((floor) => (
            <FloorRow
              key={floor.key}
              floor={floor}
              index={stored.findIndex(({ floor: id }) => id === floor.key)}
              building={building}
              count={counts.find((one) => one.floor === floor.key)}
              isDefault={floor.key === defaultKey}
              isLast={floors.length === 1}
              editing={editing?.key === floor.key ? editing.name : undefined}
              fault={editing?.key === floor.key ? fault : undefined}
              may={onEdits !== undefined}
              onType={(name) => edit({ key: floor.key, name })}
              onEdit={() => begin(floor)}
              onSave={saveName}
              onCancel={() => edit(undefined)}
              onRemove={() => {
                if (editing?.key === floor.key) edit(undefined)
                onEdits?.(withoutFloor(edits, floor.key))
              }}
            />
          ))}
        </tbody>
      </table>
    </Card>
  )
}

interface FloorRowProps {
  floor: DraftFloor
  /** Its place among the stored floors, by which the editor of plans is addressed. */
  index: number
  building: string | undefined
  count: FloorCounts | undefined
  isDefault: boolean
  isLast: boolean
  editing: string | undefined
  fault: string | undefined
  may: boolean
  onType: (name: string) => void
  onEdit: () => void
  onSave: () => void
  onCancel: () => void
  onRemove: () => void
}

function FloorRow(props: FloorRowProps) {
  const { floor, index, building, count, isDefault, isLast, editing, fault, may } = props
  const { tenant } = useActor()
  const [upload, send] = useUpload(building, floor.key)
  const { stored } = floor
  const whyNotRemoved = isLast
    ? buildingTexts.lastFloor
    : count && count.devices > 0
      ? 'Devices are on this floor: move them first'
      : undefined
  return (
    <tr>
      <td className={classes.name}>
        {editing === undefined ? (
          <span className={classes.nameText}>
            <b>{floor.name}</b>
            {isDefault && <span className={classes.default}>Default</span>}
          </span>
        ) : (
          <TextInput
            aria-label="Floor name"
            value={editing}
            maxLength={longestFloorName}
            error={fault}
            autoFocus
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => props.onType(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault()
                props.onSave()
              }
              if (event.key === 'Escape') props.onCancel()
            }}
          />
        )}
      </td>
      <td className={classes.plan}>
        <PlanCell stored={stored} upload={upload} isNew={!building} />
      </td>
      {building && (
        <td className={classes.count}>
          <span className={classes.figures}>
            {count && count.failed > 0 && (
              <span className={classes.figure} title={`${count.failed} failed`}>
                <StatusIcon tone="failed" size={14} />
                {count.failed}
                <span className="visually-hidden"> failed of </span>
              </span>
            )}
            {count && count.warning > 0 && (
              <span className={classes.figure} title={`${count.warning} with a warning`}>
                <StatusIcon tone="warning" size={14} />
                {count.warning}
                <span className="visually-hidden"> with a warning of </span>
              </span>
            )}
            <b data-zero={!count || undefined}>{(count?.devices ?? 0).toLocaleString('en-GB')}</b>
          </span>
        </td>
      )}
      {may && (
        <td className={classes.actions}>
          <span>
            {stored && building && (
              <UploadButton name={floor.name} upload={upload} onFile={send} hasPlan={stored.hasFloorPlan} />
            )}
            {stored && building && (
              <span className={classes.position}>
                {stored.hasFloorPlan && (
                  <AppLink
                    href={`${pathTo(tenant, 'PositionFloor')}?building=${building}&floor=${index}`}
                    aria-label={`Position: ${floor.name}`}
                  >
                    Position
                  </AppLink>
                )}
                {stored.hasFloorPlan && stored.lat !== null && (
                  <AppLink
                    href={`${pathTo(tenant, 'FloorPlan', 'Place')}?building=${building}&floor=${index}`}
                    aria-label={`Place devices: ${floor.name}`}
                    title="Place devices"
                  >
                    Place
                  </AppLink>
                )}
              </span>
            )}
            {editing === undefined ? (
              <span className={classes.icons}>
                <ActionIcon size={28} title="Edit name" aria-label={`Edit name: ${floor.name}`} onClick={props.onEdit}>
                  <IconPencil size={18} stroke={1.7} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  size={28}
                  title={whyNotRemoved ?? 'Remove'}
                  aria-label={`Remove: ${floor.name}`}
                  disabled={whyNotRemoved !== undefined}
                  onClick={props.onRemove}
                >
                  <IconTrash size={18} stroke={1.7} aria-hidden />
                </ActionIcon>
              </span>
            ) : (
              <span className={classes.icons}>
                <Button variant="default" size="xs" onClick={props.onSave}>
                  Save
                </Button>
                <Button variant="subtle" size="xs" onClick={props.onCancel}>
                  Cancel
                </Button>
              </span>
            )}
          </span>
        </td>
      )}
    </tr>
  )
}

/** The four states of the button that uploads a plan (estate specification, section 3). */
type Upload =
  | { state: 'notstarted' }
  | { state: 'pending'; part: number }
  | { state: 'done' }
  | { state: 'error'; reason: string }

/** Milliseconds after an upload until what it changed is loaded again (estate specification, section 4). */
const reloadAfter = 1_000

function useUpload(building: string | undefined, floor: string): [Upload, (file: File) => void] {
  const { tenant } = useActor()
  const client = useQueryClient()
  const [upload, setUpload] = useState<Upload>({ state: 'notstarted' })
  const send = (file: File) => {
    if (!building) return
    const fault = floorPlanSizeFault(file.size)
    if (fault) return setUpload({ state: 'error', reason: fault })
    setUpload({ state: 'pending', part: 0 })
    const onProgress = (part: number) => setUpload((now) => (now.state === 'pending' ? { ...now, part } : now))
    call(uploadFloorPlan, { form: { tenant, building, floor, file } }, { onProgress })
      .then(() => {
        setUpload({ state: 'done' })
        setTimeout(() => void renewBuildings(client, tenant), reloadAfter)
      })
      .catch((error: unknown) => {
        const reason = error instanceof CallError ? error.message : ''
        setUpload({ state: 'error', reason })
      })
  }
  return [upload, send]
}

const words = { notstarted: 'Upload', pending: 'Uploading...', done: 'Complete', error: 'Retry' } as const
const icons = { notstarted: IconUpload, pending: undefined, done: IconCheck, error: IconRefresh } as const

interface UploadButtonProps {
  name: string
  upload: Upload
  hasPlan: boolean
  onFile: (file: File) => void
}

function UploadButton({ name, upload: { state }, hasPlan, onFile }: UploadButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  const Icon = icons[state]
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".svg,image/svg+xml"
        hidden
        aria-label={`Floor plan of ${name}`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // The same file may be chosen again after it was mended.
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
      <Button
        variant="default"
        size="xs"
        className={classes.upload}
        leftSection={Icon && <Icon size={16} aria-hidden />}
        disabled={state === 'pending'}
        title={hasPlan ? 'Upload another floor plan (SVG)' : 'Upload a floor plan (SVG)'}
        onClick={() => input.current?.click()}
      >
        {words[state]}
        <span className="visually-hidden"> floor plan of {name}</span>
      </Button>
    </>
  )
}

function PlanCell({ stored, upload, isNew }: { stored: Floor | undefined; upload: Upload; isNew: boolean }) {
  if (!stored || isNew) return <span className={classes.quiet}>Upload is possible once the building is saved</span>
  if (upload.state === 'pending') {
    const percent = Math.round(upload.part * 100)
    return (
      <span className={classes.progress}>
        <progress value={percent} max={100} aria-label={`Upload of ${stored.name}`} />
        {percent} %
      </span>
    )
  }
  return (
    <>
      {upload.state === 'error' && (
        <span className={classes.fault} role="alert">
          <IconAlertCircle size={16} aria-hidden />
          Not uploaded{upload.reason && `: ${upload.reason}`}
        </span>
      )}
      {stored.hasFloorPlan ? (
        <span className={classes.file}>
          <IconFile size={16} stroke={1.7} aria-hidden />
          {stored.image}
        </span>
      ) : (
        upload.state !== 'error' && <span className={classes.quiet}>No floor plan</span>
      )}
    </>
  )
}
