import { useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IconCameraPlus, IconDownload } from '../../../icons/index.ts'
import type { PropertyRecord } from '@caretaker/contract/documents.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { clampPage, pageCount } from '@caretaker/rules/lists/pager.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { photoTypes } from '@caretaker/rules/properties/records.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { textsOf } from '../../../api/errors.ts'
import { keepPageSize, keptPageSize } from '../../../lists/page-size.ts'
import { dateSecondText } from '../../../ui/age.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { Pager } from '../../../ui/pager.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useTablePlace } from '../../../ui/table-place.ts'
import type { Column } from '../../../ui/table/props.ts'
import { showError } from '../../../ui/toasts.tsx'
import { useZone } from '../../../ui/zone.tsx'
import { Panel, Panels } from '../panel.tsx'
import { propertyRecordsQuery } from '../queries.ts'
import { AddDialog } from './add-dialog.tsx'
import { savePhotographs } from './save-photographs.ts'
import { Viewer } from './viewer.tsx'
import classes from './property-records.module.css'

const table = { name: 'PropertyRecords', pageSizes: [25, 50, 100] }

/** The photographs of a property: view, save, add and delete. The open one is in the address. */
export function PropertyRecords({ property }: { property: Property }) {
  const actor = useActor()
  const { tenant } = actor
  const zone = useZone()
  const { data, isError, refetch } = useQuery(propertyRecordsQuery(tenant, property.propertyId))
  const records = data ?? none
  const [place, show] = useTablePlace()
  const [pageSize, setPageSize] = useState(() => keptPageSize(table))
  const page = clampPage(place.page, pageCount(records.length, pageSize))
  const rows = useMemo(() => records.slice((page - 1) * pageSize, page * pageSize), [records, page, pageSize])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const chosen = records.filter(({ id }) => selected.has(id))
  const [chosenFiles, setChosenFiles] = useState<File[]>([])
  const mayAdd = can(actor, 'add property record', {
    accessRightsTags: property.accessRightsTag ? [property.accessRightsTag.id] : [],
  })
  const isOver = useDroppedFiles(mayAdd, setChosenFiles)
  const columns = useMemo(() => columnsFor(zone), [zone])
  const navigate = useNavigate()
  const { photo } = useSearch({ strict: false }) as { photo?: string }
  const open = records.findIndex(({ id }) => id === photo)
  const look = (id: string | undefined) =>
    void navigate({
      to: '.',
      search: (({ photo: _, ...now }: Record<string, unknown>) => ({ ...now, ...(id && { photo: id }) })) as never,
      resetScroll: false,
      // Viewing photographs is one history step, however many are viewed.
      replace: photo !== undefined,
    })
  const phoneRow = useMemo(() => phoneRowFor(zone), [zone])
  return (
    <Panels>
      <div className={classes.records} data-over={isOver || undefined}>
        <Panel
          title="Property Records"
          total={data?.length}
          actions={
            <>
              {chosen.length > 0 && <SaveButton chosen={chosen} name={property.propertyReference} />}
              {mayAdd && <AddButton onFiles={setChosenFiles} />}
            </>
          }
        >
          <DataTable
            label="Property Records"
            columns={columns}
            rows={rows}
            rowId={idOf}
            rowHref={({ id }) => `${pathTo(tenant, 'Properties', property.propertyId, 'propertyRecords')}?photo=${id}`}
            onOpen={({ id }) => look(id)}
            status={data ? 'ready' : isError ? 'failed' : 'loading'}
            onRetry={() => void refetch()}
            empty={<Empty text="No data available" />}
            phoneRow={phoneRow}
            selection={{
              count: chosen.length,
              has: (id) => selected.has(id),
              fault: () => undefined,
              name: ({ metadata }) => metadata.title,
              onSelect: (some, isIn) => {
                const next = new Set(selected)
                for (const { id } of some)
                  if (isIn) next.add(id)
                  else next.delete(id)
                setSelected(next)
              },
            }}
            footer={
              records.length > 0 && (
                <Pager
                  ends
                  page={page}
                  pageSize={pageSize}
                  total={records.length}
                  onPage={(next) => show({ ...place, page: next })}
                  pageSizes={table.pageSizes}
                  onPageSize={(size) => {
                    keepPageSize(table, size)
                    setPageSize(size)
                    show({ ...place, page: 1 })
                  }}
                />
              )
            }
          />
        </Panel>
      </div>
      {open >= 0 && (
        <Viewer
          property={property}
          records={records}
          at={open}
          onLook={(at) => look(records[at]?.id)}
          onClose={() => look(undefined)}
        />
      )}
      {chosenFiles.length > 0 && (
        <AddDialog property={property} files={chosenFiles} onClose={() => setChosenFiles([])} />
      )}
    </Panels>
  )
}

const none: PropertyRecord[] = []
const idOf = ({ id }: PropertyRecord) => id

const columnsFor = (zone: string): Column<PropertyRecord>[] => [
  {
    id: 'title',
    header: 'Document Title',
    width: 240,
    link: true,
    cell: ({ metadata }) => <b className={classes.name}>{metadata.title}</b>,
  },
  { id: 'at', header: 'Date and time', width: 180, cell: ({ metadata }) => dateSecondText(metadata.timestamp, zone) },
  { id: 'location', header: 'Location in property', width: 170, cell: (record) => record.propertyLocationId ?? '–' },
  { id: 'by', header: 'Uploaded by', width: 160, cell: ({ createdBy }) => createdBy },
  {
    id: 'note',
    header: 'Note',
    width: 260,
    cell: ({ metadata: { note } }) => <span className={classes.note}>{note ?? '–'}</span>,
  },
]

function phoneRowFor(zone: string) {
  return function PhoneRow({ metadata, propertyLocationId, createdBy }: PropertyRecord) {
    return (
      <span className={classes.phoneRow}>
        <b className={classes.name}>{metadata.title}</b>
        <span>
          {[propertyLocationId, dateSecondText(metadata.timestamp, zone), createdBy].filter(Boolean).join(', ')}
        </span>
        {metadata.note && <span>{metadata.note}</span>}
      </span>
    )
  }
}

function SaveButton({ chosen, name }: { chosen: readonly PropertyRecord[]; name: string }) {
  const { tenant } = useActor()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    try {
      await savePhotographs(tenant, chosen, name)
    } catch (error) {
      showError(textsOf(error).join(' '))
    }
    setBusy(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={busy}
      onClick={() => void save()}
    >
      Download {chosen.length}
    </Button>
  )
}

/** On a phone the browser also offers the camera. */
function AddButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={photoTypes.join()}
        multiple
        hidden
        aria-label="Photographs"
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          // The same file can be chosen again after a rejection.
          currentTarget.value = ''
          if (files.length) onFiles(files)
        }}
      />
      <Button leftSection={<IconCameraPlus size={16} aria-hidden />} onClick={() => input.current?.click()}>
        Add photographs
      </Button>
    </>
  )
}

/** Accepts files dropped anywhere on the page; returns whether some are being dragged over it. */
function useDroppedFiles(mayAdd: boolean, onFiles: (files: File[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    if (!mayAdd) return undefined
    const carried = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!carried(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!relatedTarget) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!carried(event)) return
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length) onFiles(files)
    }
    const stop = new AbortController()
    document.addEventListener('dragover', over, stop)
    document.addEventListener('dragleave', leave, stop)
    document.addEventListener('drop', drop, stop)
    return () => stop.abort()
  }, [mayAdd, onFiles])
  return isOver
}
