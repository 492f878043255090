import { useContext, useLayoutEffect, useRef } from 'react'
import { planMatrix } from '@caretaker/rules/maps/plan-matrix.ts'
import { CameraContext } from './camera.ts'
import type { MapPlan } from './map-props.ts'
import classes from './map-view.module.css'

/** The size of a plan before scaling; drawings stay sharp at any size. */
const side = 1000

/** Plans drawn by the page: sharp at each zoom, and present without a background. */
export function Plans({ plans }: { plans: readonly MapPlan[] }) {
  const camera = useContext(CameraContext)!
  const images = useRef(new Map<string, HTMLImageElement>())
  useLayoutEffect(() => {
    const lay = () => {
      const { pixelOf } = camera.shown()
      for (const { id, corners } of plans) {
        const image = images.current.get(id)
        if (!image) continue
        image.style.transform = `matrix(${planMatrix(corners.map(pixelOf), side).join(',')})`
      }
    }
    lay()
    return camera.subscribe(lay)
  }, [camera, plans])
  return plans.map(({ id, src, opacity = 1 }) => (
    <img
      key={id}
      ref={(image) => {
        if (image) images.current.set(id, image)
        else images.current.delete(id)
      }}
      className={classes.plan}
      src={src}
      alt=""
      draggable={false}
      width={side}
      height={side}
      style={{ opacity }}
      data-plan={id}
    />
  ))
}
