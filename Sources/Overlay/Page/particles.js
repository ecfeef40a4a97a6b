// Hearts and stars that rise from the bottom edge while a burst of likes lasts.
//
// The emitter is that of the seed's fourth article: a line; layer birth rate 2 × cell birth rate 2, so four a second
// of each of two images; the rest stands below.

const perSecond = 4;
const lifeSeconds = 2;
const acceleration = -70;
const most = 64;
const size = 48;

export class Particles {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.images = [heart(), star()];
    this.particles = [];
    this.owed = 0;
    this.burst = null;
    this.left = 0;
    this.last = null;
    this.isCalm = matchMedia("(prefers-reduced-motion: reduce)");
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
  }

  #fit() {
    const scale = Math.min(2, devicePixelRatio || 1);
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
  }

  draw(room, now) {
    // Whoever was hidden for long makes up for nothing.
    const elapsed = this.last === null ? 0 : Math.min(0.1, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    if (room.burst !== this.burst) {
      this.burst = room.burst;
      this.left = room.burst?.particles ?? 0;
    }
    const lasts = this.burst && room.instantOf("like", now) < this.burst.until && !this.isCalm.matches;
    if (lasts) this.#emit(elapsed, now);
    else this.owed = 0;
    const had = this.particles.length;
    this.particles = this.particles.filter((particle) => now - particle.born < lifeSeconds * 1000);
    if (had === 0) return;
    this.context.clearRect(0, 0, this.width, this.height);
    for (const particle of this.particles) this.#paint(particle, (now - particle.born) / 1000);
    this.context.globalAlpha = 1;
  }

  #emit(elapsed, now) {
    this.owed += elapsed * perSecond;
    while (this.owed >= 1) {
      this.owed -= 1;
      for (const image of this.images) {
        if (this.left <= 0 || this.particles.length >= most) return;
        this.left -= 1;
        this.particles.push(born(image, now, this.width));
      }
    }
  }

  #paint(particle, age) {
    const scale = particle.scale - 0.15 * age;
    const alpha = Math.min(1, particle.alpha - 0.15 * age);
    if (scale <= 0 || alpha <= 0) return;
    const x = particle.x + particle.velocityX * age;
    // The canvas ends where the picture does not: nothing is seen to be cut off.
    const fade = Math.min(1, Math.max(0, Math.min(x, this.width - x) / size));
    const y = this.height + particle.velocityY * age + acceleration * age * age / 2;
    this.context.globalAlpha = alpha * fade;
    const edge = size * scale;
    this.context.drawImage(particle.image, x - edge / 2, y - edge / 2, edge, edge);
  }
}

const around = (middle, range) => middle + (Math.random() * 2 - 1) * range;

// Longitude 0 is along the line; the range opens a cone around it. What would fly down flies up.
function born(image, now, width) {
  const velocity = around(20, 200);
  const angle = around(0, Math.PI / 4);
  return {
    image, born: now, x: Math.random() * width, velocityX: velocity * Math.cos(angle),
    velocityY: -Math.abs(velocity * Math.sin(angle)), scale: around(0.8, 0.8), alpha: around(1, 0.75),
  };
}

function picture(paint) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = size * 2;
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  paint(context);
  return canvas;
}

function heart() {
  return picture((context) => {
    context.fillStyle = "#ff3377";
    context.beginPath();
    context.moveTo(24, 42);
    context.bezierCurveTo(2, 26, 6, 6, 17, 8);
    context.bezierCurveTo(21, 8, 24, 12, 24, 15);
    context.bezierCurveTo(24, 12, 27, 8, 31, 8);
    context.bezierCurveTo(42, 6, 46, 26, 24, 42);
    context.fill();
  });
}

function star() {
  return picture((context) => {
    context.fillStyle = "#ffc93d";
    context.beginPath();
    for (let point = 0; point < 10; point += 1) {
      const radius = point % 2 === 0 ? 20 : 9;
      const angle = -Math.PI / 2 + point * Math.PI / 5;
      context.lineTo(24 + radius * Math.cos(angle), 24 + radius * Math.sin(angle));
    }
    context.closePath();
    context.fill();
  });
}
