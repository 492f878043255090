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
 * The actions of a row, behind a button at its end; nothing where there are none. The menu itself comes when it is asked
 * for: a page of rows would otherwise draw a hundred of them.
 */
export function RowMenu({ row }: { row: DeviceRow }) {
  return <TargetMenu target={targetOfRow(row)} />
}

/** The same for what is no row of a listing. */
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
  // What leads to the mobile app is known with the settings: the menu opens whole, and nothing moves under the pointer.
  const { isPending } = useQuery(settingsQuery)
  useEffect(() => {
    if (isPending) return
    // The button that was pressed is gone: closing the menu gives the focus back to this one.
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
    // A plain button: a hundred of them are drawn with every page.
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
