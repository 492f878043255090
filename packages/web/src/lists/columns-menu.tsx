import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { KeyboardEvent as KeyPress, PointerEvent } from 'react'
import { Button, Popover } from '@mantine/core'
import { IconColumns3, IconGripVertical } from '../icons/index.ts'
import { ownColumns } from './list-place.ts'
import type { ListField } from './list-source.ts'
import type { ListState } from './list-state.ts'
import { movedTo } from './moved-to.ts'
import classes from './columns-menu.module.css'
import listClasses from './list.module.css'

/** The columns of a listing and their order. */
export function ColumnsMenu({ state }: { state: ListState }) {
  const [opened, setOpened] = useState(false)
  useEscape(opened, () => setOpened(false))
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width={280}
      trapFocus
      returnFocus
      withRoles={false}
      // A click outside closes the menu without affecting anything else.
      withOverlay
      overlayProps={{ backgroundOpacity: 0 }}
      closeOnEscape={false}
    >
      <Popover.Target>
        <Button
          variant="default"
          className={listClasses.tool}
          leftSection={<IconColumns3 size={16} aria-hidden />}
          title="Columns"
          aria-haspopup="dialog"
          aria-expanded={opened}
          onClick={() => setOpened(!opened)}
        >
          <span className={listClasses.word}>Columns</span>
        </Button>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Columns" className={classes.menu}>
        <Columns state={state} />
      </Popover.Dropdown>
    </Popover>
  )
}

/** Escape closes the menu wherever the focus is, and reaches nothing behind it. */
function useEscape(isOpen: boolean, close: () => void): void {
  const onEscape = useEffectEvent(close)
  useEffect(() => {
    if (!isOpen) return undefined
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.preventDefault()
      event.stopPropagation()
      onEscape()
    }
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [isOpen])
}

function Columns({ state }: { state: ListState }) {
  const { columns, fields, view, set } = state
  const show = (next: string[]) => set({ columns: next }, { replace: true })
  // A shown or hidden column moves in the list, so its checkbox is another element.
  const list = useRef<HTMLDivElement>(null)
  const chosen = useRef<string>(undefined)
  useEffect(() => {
    if (chosen.current === undefined) return
    list.current?.querySelector<HTMLElement>(`input[name="${chosen.current}"]`)?.focus()
    chosen.current = undefined
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- once the columns are others
  }, [columns])
  const choose = (id: string, next: string[]) => {
    chosen.current = id
    show(next)
  }
  const shown = columns.flatMap((id) => fields.find(({ fieldId }) => fieldId === id) ?? [])
  const hidden = fields.filter((field) => field.viewable && !columns.includes(field.fieldId))
  const own = ownColumns({ view, fields })
  const drag = useDrag(columns, show)
  return (
    <>
      <div className={classes.list} data-columns ref={list}>
        {shown.map((field) => (
          <div key={field.fieldId} className={classes.row} data-dragged={drag.dragged === field.fieldId || undefined}>
            <button
              type="button"
              className={classes.grip}
              aria-label={`Move ${field.label}`}
              title="Drag or use the arrow keys"
              {...drag.handlers(field.fieldId)}
            >
              <IconGripVertical size={16} aria-hidden />
            </button>
            <Choice
              field={field}
              checked
              disabled={columns.length === 1}
              onChange={() =>
                choose(
                  field.fieldId,
                  columns.filter((id) => id !== field.fieldId),
                )
              }
            />
          </div>
        ))}
        {hidden.map((field) => (
          <div key={field.fieldId} className={classes.row}>
            <span className={classes.grip} />
            <Choice field={field} checked={false} onChange={() => choose(field.fieldId, [...columns, field.fieldId])} />
          </div>
        ))}
      </div>
      <div className={classes.foot}>
        <Button variant="default" disabled={columns.join() === own.join()} onClick={() => show(own)}>
          Reset
        </Button>
      </div>
    </>
  )
}

interface ChoiceProps {
  field: ListField
  checked: boolean
  disabled?: boolean
  onChange: () => void
}

function Choice({ field, checked, disabled = false, onChange }: ChoiceProps) {
  return (
    <label className={classes.choice}>
      <input
        type="checkbox"
        name={field.fieldId}
        className={classes.box}
        checked={checked}
        disabled={disabled}
        onChange={onChange}
      />
      {field.label}
    </label>
  )
}

/** Moves columns by their grips, dragged or by arrow keys. */
function useDrag(columns: readonly string[], show: (next: string[]) => void) {
  const [dragged, setDragged] = useState<string>()

  function placeAt({ currentTarget, clientY }: PointerEvent<HTMLElement>): number {
    const rows = [...(currentTarget.closest('[data-columns]')?.children ?? [])].slice(0, columns.length)
    const at = rows.findIndex((row) => clientY < row.getBoundingClientRect().bottom)
    return at < 0 ? columns.length - 1 : at
  }

  const move = (id: string, to: number) => {
    if (columns.indexOf(id) !== to) show(movedTo(columns, id, to))
  }
  const handlers = (id: string) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId)
      setDragged(id)
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (dragged === id) move(id, placeAt(event))
    },
    onPointerUp: () => setDragged(undefined),
    onPointerCancel: () => setDragged(undefined),
    onKeyDown: (event: KeyPress<HTMLElement>) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
      if (step === undefined) return
      event.preventDefault()
      const to = columns.indexOf(id) + step
      if (to >= 0 && to < columns.length) move(id, to)
    },
  })
  return { dragged, handlers }
}
