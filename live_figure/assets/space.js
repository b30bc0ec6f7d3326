// 3D pictures, which Plotly draws by WebGL.
//
// Plotly draws translucent objects into a buffer of floats, for which it draws
// everything else again; drawn last over the rest, they look the same. It also reads
// back the object under the pointer in every frame, which is not needed while a picture
// is turned.
//
// Without a graphics card, the processor draws. Four pixels per screen pixel are then
// smooth enough without multisampling, and while a picture is turned, the number of
// pixels is limited to allow thirty frames a second.
import { pixelRatioOf, plotsOf } from "./plotly_compat.js";
import { whenReleased } from "./pointer.js";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
// Thirty frames a second, with a little room.
const SLOW = 28;
const COARSEST = 0.5;

const known = new WeakSet();
const turning = new WeakSet();
const ratios = new WeakMap();

let software;

function isSoftware(getContext) {
  if (software !== undefined) return software;
  const gl = getContext.call(document.createElement("canvas"), "webgl");
  const named = gl?.getExtension("WEBGL_debug_renderer_info");
  software = SOFTWARE.test(gl?.getParameter(named?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return software;
}

// Plotly requests multisampling whatever its options say.
export function takeFewerSamples() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (kind, wanted) {
    const ours = kind === "webgl" && this.closest(".rs-live") && isSoftware(getContext);
    return getContext.call(this, kind, ours ? { ...wanted, antialias: false } : wanted);
  };
}

function blend(gl, draw) {
  gl.enable(gl.BLEND);
  gl.blendEquation(gl.FUNC_ADD);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  gl.depthFunc(gl.LESS);
  draw();
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  gl.disable(gl.BLEND);
}

function drawOnce(plot, object) {
  known.add(object);
  const { isOpaque, isTransparent, draw, drawTransparent, drawPick } = object;
  Object.assign(object, {
    isOpaque: () => true,
    isTransparent: () => false,
    drawOver(camera) {
      if (isTransparent.call(object)) drawTransparent.call(object, camera);
    },
    draw(camera) {
      if (isOpaque.call(object)) draw.call(object, camera);
      const drawn = plot.objects.filter((other) => known.has(other));
      if (object !== drawn.at(-1)) return;
      blend(plot.gl, () => drawn.forEach((other) => other.drawOver(camera)));
    },
    drawPick(camera) {
      if (!turning.has(plot)) drawPick.call(object, camera);
    },
  });
}

function lookUpAtRest(plot) {
  known.add(plot);
  const { gl } = plot;
  const readPixels = gl.readPixels.bind(gl);
  gl.readPixels = (...place) => {
    if (!turning.has(plot)) readPixels(...place);
  };
}

// Plotly creates the lines of the axes for every figure, and discards and compiles
// their shaders each time unless other code holds them.
function keepShaders(part) {
  for (const { _vref, _fref } of Object.values(part).filter(Boolean)) {
    for (const shader of [_vref, _fref]) {
      if (!shader || known.has(shader)) continue;
      known.add(shader);
      shader.count += 1;
    }
  }
}

export function drawLightly(node) {
  for (const plot of plotsOf(node)) {
    if (!known.has(plot)) lookUpAtRest(plot);
    const { _lines, _text } = plot.axes;
    [_lines, _text, ...plot.objects].filter(Boolean).forEach(keepShaders);
    for (const object of plot.objects) {
      if (!known.has(object)) drawOnce(plot, object);
    }
  }
}

async function keepPace(plot) {
  const next = () => new Promise(requestAnimationFrame);
  plot.pixelRatio = Math.min(window.devicePixelRatio, ratios.get(plot) ?? plot.pixelRatio);
  while (turning.has(plot)) {
    const began = await next();
    await next();
    const pace = ((await next()) - began) / 2;
    if (pace < SLOW || !turning.has(plot)) continue;
    // The time a frame takes grows with the pixels.
    const fewer = plot.pixelRatio * Math.sqrt(SLOW / pace);
    plot.pixelRatio = Math.max(COARSEST, fewer);
    ratios.set(plot, plot.pixelRatio);
  }
}

export function turnSmoothly(node) {
  node.addEventListener("pointerdown", () => {
    const turned = plotsOf(node).filter((plot) => !turning.has(plot));
    if (!turned.length) return;
    for (const plot of turned) {
      turning.add(plot);
      if (software) keepPace(plot);
    }
    whenReleased(() => {
      for (const plot of turned) turning.delete(plot);
      // The figure may have been removed by now.
      for (const plot of plotsOf(node)) {
        plot.pixelRatio = pixelRatioOf(node);
        plot.update();
      }
    });
  }, { capture: true });
}
