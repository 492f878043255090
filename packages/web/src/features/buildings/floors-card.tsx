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
} from '../../icons/index.ts'
import type { Floor } from '@caretaker/contract/buildings.ts'
import { buildingTexts, longestFloorName, mostFloors } from '@caretaker/rules/buildings/building.ts'
import { floorsOfFiles, planEndings } from '@caretaker/rules/buildings/plan-files.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { useActor } from '../../api/actor.ts'
import { Card } from '../../ui/card.tsx'
import { Problems } from '../../ui/dialog.tsx'
import { AppLink } from '../../ui/link.tsx'
import { notPlacedText } from '../../plans/device-look.tsx'
import { StatusIcon } from '../../ui/status-icon.tsx'
import type { DraftFloor, Edits } from './edits.ts'
import { nameFault, withFloor, withName, withoutFloor } from './edits.ts'
import { PlanDialog } from './plan-dialog.tsx'
import type { Upload } from './use-uploads.ts'
import { useUploads } from './use-uploads.ts'
import classes from './buildings.module.css'

interface FloorCounts {
  floor: string
  devices: number
  failed: number
  warning: number
  notPlaced: number
  notPlacedFailed: number
}

interface FloorsCardProps {
  /** The id of the building; undefined until it is saved. */
  building?: string
  stored: readonly Floor[]
  floors: readonly DraftFloor[]
  counts: readonly FloorCounts[]
  edits: Edits
  /** Absent for read-only users. */
  onEdits?: ((edits: Edits) => void) | undefined
  defaultKey: string | undefined
  editing: EditedFloor | undefined
  onEditing: (editing: EditedFloor | undefined) => void
}

/** The floor whose name is being edited. */
export interface EditedFloor {
  key: string
  name: string
}

/** The floors from the lowest up; one name at a time can be edited. */
export function FloorsCard(props: FloorsCardProps) {
  const { building, stored, floors, counts, edits, onEdits, defaultKey, editing, onEditing } = props
  const [fault, setFault] = useState<string>()
  const nextKey = useRef(0)
  const uploads = useUploads(building)
  /** Names of files that match no floor. */
  const [strange, setStrange] = useState<readonly string[]>([])
  const named = floors.flatMap(({ name, stored: saved }) => (saved ? { floor: saved.floor, name } : []))
  const upload = (files: readonly File[]) => {
    const found = floorsOfFiles(
      named,
      files.map(({ name }) => name),
    )
    for (const [at, file] of files.entries()) if (found[at]) void uploads.send(found[at], file)
    setStrange(files.flatMap(({ name }, at) => (found[at] ? [] : [name])))
  }
  const [isOver, setOver] = useState(false)
  const drop = (event: React.DragEvent) => {
    event.preventDefault()
    setOver(false)
    const files = [...event.dataTransfer.files]
    // A file dropped on a row belongs to its floor, whatever its name.
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-floor]') : null
    if (files.length === 1 && row) {
      setStrange([])
      void uploads.send(row.dataset['floor']!, files[0]!)
    } else upload(files)
  }
  const asking = floors.flatMap(({ key, name }) => {
    const one = uploads.of(key)
    return one.state === 'asks' ? [{ key, name, ...one }] : []
  })[0]
  const mayUpload = building !== undefined && onEdits !== undefined
  const edit = (next: EditedFloor | undefined) => {
    setFault(undefined)
    onEditing(next)
  }
  /** Applies the name being typed; shows its error, if any. */
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
    <div
      className={classes.floors}
      data-over={isOver || undefined}
      {...(mayUpload && {
        onDragOver: (event: React.DragEvent) => {
          if (!event.dataTransfer.types.includes('Files')) return
          event.preventDefault()
          setOver(true)
        },
        onDragLeave: () => setOver(false),
        onDrop: drop,
      })}
    >
      <Card
        title="Floors"
        footer={
          mayUpload && (
            <p className={classes.hint}>
              A floor plan is an SVG, PDF, PNG, JPEG or WebP file of at most 20 MB. Drop several files here to match
              them to floors by name, for example 'level 1.pdf'. Then position the plans and place their devices.
            </p>
          )
        }
        actions={
          onEdits && (
            <>
              {mayUpload && named.length > 1 && <UploadPlans onFiles={upload} />}
              <Button
                variant="default"
                size="sm"
                leftSection={<IconPlus size={16} aria-hidden />}
                onClick={add}
                disabled={floors.length >= mostFloors}
              >
                Add floor
              </Button>
            </>
          )
        }
      >
        <Problems
          texts={strange.map(
            (name) => `${name} does not match exactly one floor by name: upload it next to its floor.`,
          )}
        />
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
              {onEdits && <th scope="col">Actions</th>}
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
                upload={uploads.of(floor.key)}
                onFile={(file) => void uploads.send(floor.key, file)}
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
      {asking && (
        <PlanDialog
          key={asking.key}
          floor={asking.name}
          question={asking}
          onPage={(page) => void uploads.turnTo(asking.key, asking, page)}
          onStore={(shape) => void uploads.store(asking.key, asking, shape)}
          onCancel={() => uploads.cancel(asking.key)}
        />
      )}
    </div>
  )
}

interface FloorRowProps {
  floor: DraftFloor
  /** The index among the stored floors, used in the address of the plan editor. */
  index: number
  building: string | undefined
  count: FloorCounts | undefined
  isDefault: boolean
  isLast: boolean
  editing: string | undefined
  fault: string | undefined
  may: boolean
  upload: Upload
  onFile: (file: File) => void
  onType: (name: string) => void
  onEdit: () => void
  onSave: () => void
  onCancel: () => void
  onRemove: () => void
}

function FloorRow(props: FloorRowProps) {
  const { floor, index, building, count, isDefault, isLast, editing, fault, may, upload } = props
  const { tenant } = useActor()
  const { stored } = floor
  const whyNotRemoved = isLast
    ? buildingTexts.lastFloor
    : count && count.devices > 0
      ? 'This floor has devices: move them first'
      : undefined
  return (
    <tr data-floor={stored?.floor}>
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
        {may && stored && building && (
          <span className={classes.planActions}>
            <UploadButton name={floor.name} upload={upload} onFile={props.onFile} hasPlan={stored.hasFloorPlan} />
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
              >
                Place devices
              </AppLink>
            )}
          </span>
        )}
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
          {count && count.notPlaced > 0 && <small>{notPlacedText(count.notPlaced, count.notPlacedFailed)}</small>}
        </td>
      )}
      {may && (
        <td className={classes.actions}>
          <span>
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

const words = {
  notstarted: 'Upload',
  asks: 'Upload',
  pending: 'Uploading...',
  done: 'Complete',
  error: 'Retry',
} as const
const icons = {
  notstarted: IconUpload,
  asks: IconUpload,
  pending: undefined,
  done: IconCheck,
  error: IconRefresh,
} as const

const accepted = planEndings.map((ending) => `.${ending}`).join(',')

/** Uploads several plans at once. */
function UploadPlans({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={accepted}
        hidden
        aria-label="Floor plans"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          currentTarget.value = ''
          if (files.length) onFiles(files)
        }}
      />
      <Button
        variant="default"
        size="sm"
        leftSection={<IconUpload size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        Upload plans
      </Button>
    </>
  )
}

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
        accept={accepted}
        hidden
        aria-label={`Floor plan of ${name}`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          // Lets the same file be chosen again after a correction.
          currentTarget.value = ''
          if (file) onFile(file)
        }}
      />
      <Button
        variant="subtle"
        size="compact-sm"
        className={classes.upload}
        leftSection={Icon && <Icon size={16} aria-hidden />}
        disabled={state === 'pending'}
        title={hasPlan ? 'Upload another floor plan' : 'Upload a floor plan'}
        onClick={() => input.current?.click()}
      >
        {words[state]}
        <span className="visually-hidden"> floor plan of {name}</span>
      </Button>
    </>
  )
}

function PlanCell({ stored, upload, isNew }: { stored: Floor | undefined; upload: Upload; isNew: boolean }) {
  if (!stored || isNew) return <span className={classes.quiet}>Save the building before you upload a floor plan</span>
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
        <span className={classes.file} title={stored.image}>
          <IconFile size={16} stroke={1.7} aria-hidden />
          <span>{stored.image}</span>
        </span>
      ) : (
        upload.state !== 'error' && <span className={classes.quiet}>No floor plan</span>
      )}
    </>
  )
}
