import type { ReactNode } from 'react'
import { Card } from '../../../ui/card.tsx'
import classes from './sign-in.module.css'

/** A card of the sign-in settings, with a gap between its parts. */
export const SignInCard = (props: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <Card title={props.title} actions={props.actions} className={classes.card}>
    <div className={classes.content}>{props.children}</div>
  </Card>
)
