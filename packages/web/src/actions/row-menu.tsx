import { useEffect, useRef, useState } from 'react'
import { IconDots } from '../icons/index.ts'
import { useQuery } from '@tanstack/react-query'
import type { DeviceRow } from '@caretaker/contract/devices.ts'
import { useActor } from '../api/actor.ts'
import { settingsQuery } from '../api/settings.ts'
import { ActionMenu } from './action-menu.tsx'
import type { ActionTarget } from './target.ts'
import { actionsFor, nameOf, targetOfRow } from './target.ts'
import { useActionItems } from './use-action-items.tsx'
import classes from './actions.module.css'

/**
 * The actions of a row behind a button; nothing if there are none. The menu itself is created when opened, because a
 * page has a hundred rows.
 */
export function RowMenu({ row }: { row: DeviceRow }) {
  return <TargetMenu target={targetOfRow(row)} />
}

/** The same for a device outside a listing. */
export function TargetMenu({ target }: { target: ActionTarget }) {
  const actor = useActor()
  const [wanted, setWanted] = useState(false)
  if (actionsFor(actor, target, 'listing').length === 0) return undefined
  if (!wanted) return <DotsButton target={target} onClick={() => setWanted(true)} />
  return <OpenRowMenu target={target} />
}

function OpenRowMenu({ target }: { target: ActionTarget }) {
  const items = useActionItems(target, 'listing')
  const [opened, setOpened] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // Only the settings show whether there is a mobile app; the menu opens complete, so nothing shifts under the pointer.
  const { isPending } = useQuery(settingsQuery)
  useEffect(() => {
    if (isPending) return
    // The clicked button no longer exists; closing the menu returns the focus to this one.
    button.current?.focus()
    // oxlint-disable-next-line react/set-state-in-effect -- only once the focus is where the menu will give it back
    setOpened(true)
  }, [isPending])
  return (
    <ActionMenu items={items} opened={opened} onChange={setOpened}>
      <DotsButton ref={button} target={target} />
    </ActionMenu>
  )
}

interface DotsButtonProps {
  target: ActionTarget
  onClick?: () => void
  ref?: React.Ref<HTMLButtonElement>
}

function DotsButton({ target, ...rest }: DotsButtonProps) {
  return (
    // A plain button, because every page draws a hundred of them.
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={false}
      {...rest}
      className={classes.dots}
      title="Actions"
      aria-label={`Actions: ${nameOf(target)}`}
    >
      <IconDots size={18} aria-hidden />
    </button>
  )
}
