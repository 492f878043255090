import { useEffect, useState } from 'react'
import { Button, Loader, Select } from '@mantine/core'
import type { PlanShape } from '@caretaker/rules/buildings/geometry.ts'
import { leftOutHint, leftOutName } from '@caretaker/rules/drawings/left-out.ts'
import { CancelButton, Dialog, Problems } from '../../ui/dialog.tsx'
import type { PlanQuestion } from './use-uploads.ts'
import classes from './plan-dialog.module.css'

interface PlanDialogProps {
  floor: string
  question: PlanQuestion
  onPage: (page: number) => void
  onStore: (shape?: PlanShape) => void
  onCancel: () => void
}

/** A preview of an uploaded plan: original, stored version, removed content, pages and shape. */
export function PlanDialog({ floor, question, onPage, onStore, onCancel }: PlanDialogProps) {
  const { file, page, preview, isDrawing } = question
  const { source, pages, drawing, leftOut, fault, shape } = preview
  const original = useAddress(file, source === 'pdf' ? undefined : originalOf)
  const stored = useAddress(drawing, drawingOf)
  const disabled = isDrawing || fault !== null
  return (
    <Dialog
      title={`Floor plan: ${floor}`}
      size={source === 'drawing' ? 900 : 640}
      onClose={onCancel}
      actions={
        <>
          <CancelButton />
          {shape === null ? (
            <Button data-autofocus onClick={() => onStore()} disabled={disabled}>
              Save plan
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={() => onStore('keep')} disabled={disabled}>
                Keep the floor, stretch the plan
              </Button>
              <Button data-autofocus onClick={() => onStore('fit')} disabled={disabled}>
                Fit the floor to the plan
              </Button>
            </>
          )}
        </>
      }
    >
      {source === 'pdf' && (
        <div className={classes.pages}>
          <Select
            label="Page"
            data={Array.from({ length: pages }, (_, at) => String(at + 1))}
            value={String(page)}
            onChange={(chosen) => chosen && onPage(Number(chosen))}
            searchable={pages > 20}
            allowDeselect={false}
            disabled={isDrawing}
          />
          <span>of {pages.toLocaleString('en-GB')}. The page is stored as a picture.</span>
        </div>
      )}
      {fault !== null && !isDrawing && <Problems texts={[fault]} />}
      <div className={classes.pictures} data-two={source === 'drawing' || undefined}>
        {source !== 'pdf' && <Sheet caption="Original" address={original} isDrawn />}
        {source !== 'picture' && fault === null && (
          <Sheet caption="Preview" address={isDrawing ? undefined : stored} isDrawn={!isDrawing} />
        )}
      </div>
      {leftOut.length > 0 && (
        <section aria-label="Left out" className={classes.leftOut}>
          <h3>Left out</h3>
          <ul>
            {leftOut.map((one) => (
              <li key={one.kind}>
                <b>{leftOutName(one)}</b> <span>{leftOutHint(one)}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {shape !== null && (
        <>
          <p>{shape}</p>
          <p>The floor keeps its width. Devices stay where they are: check their positions on the new plan.</p>
        </>
      )}
    </Dialog>
  )
}

function Sheet({ caption, address, isDrawn }: { caption: string; address: string | undefined; isDrawn: boolean }) {
  const [broken, setBroken] = useState<string>()
  const isBroken = address !== undefined && broken === address
  return (
    <figure className={classes.sheet}>
      <figcaption>{caption}</figcaption>
      <div>
        {!isDrawn && <Loader size="sm" aria-label="Loading the page" />}
        {isBroken ? (
          <p>This browser cannot show the file.</p>
        ) : (
          address && <img src={address} alt={caption} onError={() => setBroken(address)} />
        )}
      </div>
    </figure>
  )
}

const drawingType = 'image/svg+xml'
const drawingOf = (drawing: string) => Promise.resolve(new Blob([drawing], { type: drawingType }))

/** The file as the browser can show it: drawings need their type, and cannot be compressed. */
async function originalOf(file: File): Promise<Blob> {
  if (file.type && file.type !== drawingType && file.type.startsWith('image/')) return file
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (first !== 0x1f || second !== 0x8b) return new Blob([file], { type: drawingType })
  const unpacked = new Response(file.stream().pipeThrough(new DecompressionStream('gzip')))
  return new Blob([await unpacked.arrayBuffer()], { type: drawingType })
}

/** An object URL for a picture while it is shown. Scripts in a picture do not run, and nothing is loaded. */
function useAddress<T>(content: T | null, pictureOf: ((content: T) => Promise<Blob>) | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (content === null || !pictureOf) return undefined
    let made: string | undefined
    let isOver = false
    void pictureOf(content)
      .catch(() => new Blob())
      .then((picture) => {
        if (isOver) return
        made = URL.createObjectURL(picture)
        setAddress(made)
      })
    return () => {
      isOver = true
      if (made) URL.revokeObjectURL(made)
      setAddress(undefined)
    }
  }, [content, pictureOf])
  return address
}
