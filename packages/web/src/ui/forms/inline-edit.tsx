import type { KeyboardEvent, ReactNode, RefObject } from 'react'
import { createContext, use, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ActionIcon, Button, Loader } from '@mantine/core'
import type { QueryClient } from '@tanstack/react-query'
import { useQueryClient } from '@tanstack/react-query'
import { IconAlertCircle, IconCircleCheckFilled, IconPencil } from '../../icons/index.ts'
import { LeaveQuestion } from '../leave-question.tsx'
import { typingDelay } from './use-form.ts'
import classes from './inline-edit.module.css'

interface Opened {
  /** Whether the user may edit none of the fields: no pencils or other controls are shown. */
  isReadOnly: boolean
  id: string | undefined
  open: (id: string) => void
  /** Closes this field; a field that was opened since then stays open. */
  close: (id: string) => void
}

const OpenedField = createContext<Opened>({ isReadOnly: false, id: undefined, open: () => {}, close: () => {} })

/** A list of labels with values, one of which can be open for editing. */
export function InlineFields({ isReadOnly = false, children }: { isReadOnly?: boolean; children: ReactNode }) {
  const [id, open] = useState<string>()
  const opened = useMemo(
    () => ({ isReadOnly, id, open, close: (one: string) => open((now) => (now === one ? undefined : now)) }),
    [isReadOnly, id],
  )
  return (
    <OpenedField value={opened}>
      <dl className={classes.rows}>{children}</dl>
    </OpenedField>
  )
}

/** Connects another kind of field to the list, so that only one is open; `opener` is its pencil. */
export function useOpenField(opener: RefObject<HTMLButtonElement | null>) {
  const id = useId()
  const opened = use(OpenedField)
  const isOpen = opened.id === id
  useReturn(isOpen, opened.id, opener)
  return { isOpen, open: () => opened.open(id), close: () => opened.close(id) }
}

/** Returns the focus to where it was before editing. */
function useReturn(isOpen: boolean, openId: string | undefined, to: RefObject<HTMLButtonElement | null>): void {
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen && openId === undefined) to.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, openId, to])
}

/** The props of an open field's control; the row labels it. */
export interface InlineControl {
  value: string
  change: (value: string) => void
  disabled: boolean
  invalid: boolean
  /** For `aria-labelledby` and `aria-describedby`. */
  labelledBy: string
  describedBy: string
}

export interface InlineEdit {
  /** The stored value in the form of the control. */
  value: string
  control: (control: InlineControl) => ReactNode
  /** The error of a text; undefined if valid. */
  fault: (value: string) => string | undefined
  /** Rejects with an error whose message gives the reason. */
  save: (value: string) => Promise<void>
  /** Below the control: its range, and the current value of the device. */
  hint?: ReactNode
  /** Whether a refusal leaves the field open; otherwise it shows the stored value and offers a retry. */
  staysOpen?: true
}

interface InlineFieldProps {
  label: string
  /** The formatted value; if there is none, the row reads 'Not set'. */
  children?: ReactNode
  /** A second line of the value: the reported value while it differs from the desired one. */
  note?: ReactNode
  /** At the end of the row, if there is no pencil. */
  action?: ReactNode
  /** Absent without permission: the value is then plain text. */
  edit?: InlineEdit | undefined
}

type Standing = { is: 'idle' } | { is: 'saved' } | { is: 'refused'; why: string; wanted: string }

/** Milliseconds for which 'Saved' is shown. */
const savedFor = 2_000

/** A row that shows a value and, with permission, edits it in place. */
export function InlineField({ label, children, note, ...given }: InlineFieldProps) {
  const id = useId()
  const opened = use(OpenedField)
  const { action, edit } = opened.isReadOnly ? {} : given
  const [standing, setStanding] = useState<Standing>({ is: 'idle' })
  const pencil = useRef<HTMLButtonElement>(null)
  const isOpen = edit !== undefined && opened.id === id
  useReturn(isOpen, opened.id, pencil)
  useEffect(() => {
    if (standing.is !== 'saved') return undefined
    const timer = setTimeout(() => setStanding({ is: 'idle' }), savedFor)
    return () => clearTimeout(timer)
  }, [standing])
  // Saving uses the newest version for the update.
  const newest = useRef(edit)
  useLayoutEffect(() => {
    newest.current = edit
  })
  const send = async (wanted: string) => {
    try {
      await newest.current?.save(wanted)
      setStanding({ is: 'saved' })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      if (edit?.staysOpen) return why
      setStanding({ is: 'refused', why, wanted })
    }
    opened.close(id)
    return undefined
  }
  const begin = () => {
    setStanding({ is: 'idle' })
    opened.open(id)
  }
  if (isOpen)
    return (
      <div className={classes.row} data-open>
        <dt id={`${id}-label`}>{label}</dt>
        <dd>
          <OpenField id={id} edit={edit} shown={children} onSave={send} onCancel={() => opened.close(id)} />
        </dd>
      </div>
    )
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- a larger target for the pencil, which keys reach
    <div className={classes.row} data-editable={edit ? true : undefined} onClick={edit ? rowPressed(begin) : undefined}>
      <dt>{label}</dt>
      <dd className={classes.shown}>
        <div className={classes.text}>
          <div className={classes.value}>
            <span>{isUnset(children) ? <span className={classes.unset}>Not set</span> : children}</span>
            {standing.is === 'saved' && (
              <span className={classes.saved} role="status">
                <IconCircleCheckFilled size={16} aria-hidden />
                Saved
              </span>
            )}
          </div>
          {note && <div className={classes.note}>{note}</div>}
          {standing.is === 'refused' && (
            <p className={classes.fault} role="alert">
              <IconAlertCircle size={16} aria-hidden />
              {standing.why}
            </p>
          )}
        </div>
        {action}
        {standing.is === 'refused' && (
          <Button variant="default" size="xs" onClick={() => void send(standing.wanted)}>
            Try again
          </Button>
        )}
        {edit && (
          <ActionIcon ref={pencil} size={28} aria-label={`Edit ${label}`} title="Edit" onClick={begin}>
            <IconPencil size={16} stroke={1.7} aria-hidden />
          </ActionIcon>
        )}
      </dd>
    </div>
  )
}

const isUnset = (shown: ReactNode) => shown === null || shown === undefined || shown === '' || shown === false

/** A click on the row opens it; a click on a control in it or a text selection does not. */
function rowPressed(begin: () => void) {
  return (event: { target: EventTarget }) => {
    if ((event.target as Element).closest('a, button, input, [role="button"]')) return
    if (window.getSelection()?.toString()) return
    begin()
  }
}

/** The first Escape closes the list of a select, not the field. */
export const closesItsList = ({ target }: { target: EventTarget }) =>
  (target as Element).getAttribute('aria-expanded') === 'true'

/** Refetches the device or property, so that a change by another user is seen before it is overwritten. */
async function loadDetails(client: QueryClient): Promise<void> {
  await client.refetchQueries({ type: 'active', predicate: ({ queryKey }) => queryKey[3] === 'details' })
  // The data is on the page once the timers started by its arrival have run.
  await new Promise((shown) => setTimeout(shown))
}

interface OpenFieldProps {
  id: string
  edit: InlineEdit
  /** The formatted stored value. */
  shown: ReactNode
  /** Resolves to the reason for a refusal if the field stays open. */
  onSave: (value: string) => Promise<string | undefined>
  onCancel: () => void
}

function OpenField({ id, edit, shown, onSave, onCancel }: OpenFieldProps) {
  const client = useQueryClient()
  // A change by others while editing does not affect the text; it is a conflict that the user resolves.
  const [stored, setStored] = useState(edit.value)
  const current = useRef(edit.value)
  useLayoutEffect(() => {
    current.current = edit.value
  })
  const [value, setValue] = useState(edit.value)
  // An error appears when typing pauses and disappears at once when corrected.
  const [debounced, setDebounced] = useState(edit.value)
  const [sending, setSending] = useState(false)
  const [refused, setRefused] = useState<{ value: string; why: string }>()
  const field = useRef<HTMLDivElement>(null)
  const fault = edit.fault(value)
  const changed = value !== stored
  const isConflict = !sending && edit.value !== stored && edit.value !== value
  const refusal = !isConflict && refused?.value === value ? refused.why : undefined
  const shownFault = refusal ?? (changed && debounced === value ? fault : undefined)
  useEffect(() => {
    field.current?.querySelector<HTMLElement>('input, textarea, select, [role="combobox"]')?.focus()
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), typingDelay)
    return () => clearTimeout(timer)
  }, [value])
  const ready = (changed || isConflict) && !fault && !sending && refusal === undefined
  const save = async () => {
    if (!ready) return
    setSending(true)
    // A user who saves in a conflict has seen the other value.
    const seen = isConflict ? edit.value : stored
    setStored(seen)
    await loadDetails(client)
    if (current.current === seen || current.current === value) {
      const why = await onSave(value)
      if (why === undefined) return
      setRefused({ value, why })
    }
    setSending(false)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    if (event.key === 'Enter') {
      event.preventDefault()
      void save()
    }
    if (event.key === 'Escape' && !sending && !closesItsList(event)) {
      event.stopPropagation()
      onCancel()
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- keys of the field within
    <div className={classes.open} onKeyDown={pressed}>
      {changed && !sending && <LeaveQuestion isUnsaved />}
      <div ref={field} className={classes.control} onBlur={() => setDebounced(value)}>
        {edit.control({
          value,
          change: setValue,
          disabled: sending,
          invalid: shownFault !== undefined,
          labelledBy: `${id}-label`,
          describedBy: `${id}-hint`,
        })}
      </div>
      <div className={classes.buttons}>
        <Button
          onClick={() => void save()}
          disabled={!ready}
          leftSection={sending ? <Loader size={14} color="gray" /> : undefined}
        >
          {sending ? 'Sending ...' : isConflict ? 'Save mine' : 'Save'}
        </Button>
        <Button variant="default" onClick={onCancel} disabled={sending}>
          {isConflict ? 'Keep theirs' : 'Cancel'}
        </Button>
      </div>
      {isConflict && (
        <div className={classes.conflict} role="alert">
          <IconAlertCircle size={16} aria-hidden />
          <span>
            Someone else changed this in the meantime. Their value: <b>{isUnset(shown) ? 'Not set' : shown}</b>. Your
            value is in the field and is not saved.
          </span>
        </div>
      )}
      <div id={`${id}-hint`} className={classes.hint} aria-live="polite">
        {shownFault ? (
          <span className={classes.fault}>
            <IconAlertCircle size={16} aria-hidden />
            {shownFault}
          </span>
        ) : (
          edit.hint
        )}
      </div>
    </div>
  )
}
